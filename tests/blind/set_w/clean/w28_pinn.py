import torch
from torch import nn
from torch.autograd import grad


class Burgers(nn.Module):
    def __init__(self, width=20, depth=3):
        super().__init__()
        layers = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))
        self.log_nu = nn.Parameter(torch.tensor(-3.0))

    def forward(self, t, x):
        return self.net(torch.cat([t, x], 1))

    def residual(self, t, x):
        t.requires_grad_(True)
        x.requires_grad_(True)
        u = self(t, x)
        ones = torch.ones_like(u)
        u_t, u_x = grad(u, (t, x), ones, create_graph=True)
        (u_xx,) = grad(u_x, x, torch.ones_like(u_x), create_graph=True)
        return u_t + u * u_x - self.log_nu.exp() * u_xx


def sample(n, device):
    return torch.rand(n, 1, device=device), 2 * torch.rand(n, 1, device=device) - 1


def train(steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Burgers().to(device)
    adam = torch.optim.Adam(model.parameters(), 1e-3)
    sched = torch.optim.lr_scheduler.ExponentialLR(adam, 0.99)
    x0 = torch.linspace(-1, 1, 32, device=device)[:, None]
    u0 = -torch.sin(torch.pi * x0)
    t0 = torch.zeros_like(x0)
    for i in range(steps):
        adam.zero_grad()
        pde = model.residual(*sample(64, device)).square().mean()
        init = (model(t0, x0) - u0).square().mean()
        (pde + 10 * init).backward()
        adam.step()
        sched.step()
        print(i, pde.item(), init.item())
    return model


net = train()
with torch.no_grad():
    dev = next(net.parameters()).device
    grid = torch.cartesian_prod(torch.linspace(0, 1, 5), torch.linspace(-1, 1, 7)).to(dev)
    print(net(*grid.split(1, dim=1)).view(5, 7).cpu().numpy().round(2))
