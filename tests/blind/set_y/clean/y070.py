import torch
from torch import nn
from torch.autograd import grad


class HeatPINN(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.log_alpha = nn.Parameter(torch.tensor(-1.0))
        self.steps_seen = nn.Parameter(torch.tensor(0), requires_grad=False)

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=1))

    def residual(self, x, t):
        x.requires_grad_()
        t.requires_grad_()
        u = self(x, t)
        ones = torch.ones_like(u)
        u_x, u_t = grad(u, (x, t), ones, create_graph=True)
        u_xx = grad(u_x, x, ones, create_graph=True)[0]
        return u_t - self.log_alpha.exp() * u_xx


def grid(n, device):
    idx = torch.arange(n * n, device=device)
    x = (idx % n).float().div_(n - 1).unsqueeze(1)
    t = torch.div(idx, n, rounding_mode="floor").float().div_(n - 1).unsqueeze(1)
    return x, t


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pinn = HeatPINN().to(device)
    trainable = [p for p in pinn.parameters() if p.requires_grad]
    adam = torch.optim.Adam(trainable, lr=1e-3)
    lbfgs = torch.optim.LBFGS(trainable, max_iter=3, line_search_fn="strong_wolfe")
    x_obs, t_obs = torch.rand(40, 1, device=device), torch.rand(40, 1, device=device)
    u_obs = torch.exp(-t_obs) * torch.sin(torch.pi * x_obs)

    def total():
        x, t = grid(8, device)
        data = (pinn(x_obs, t_obs) - u_obs).square().mean()
        return data + 0.1 * pinn.residual(x, t).square().mean()

    for _ in range(4):
        adam.zero_grad()
        loss = total()
        loss.backward()
        adam.step()
        with torch.no_grad():
            pinn.steps_seen += 1

    def closure():
        lbfgs.zero_grad()
        value = total()
        value.backward()
        return value

    final = lbfgs.step(closure)
    print(final.item(), pinn.steps_seen.item())


if __name__ == "__main__":
    main()
