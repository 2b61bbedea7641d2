import torch
import torch.nn as nn
from torch.optim.lr_scheduler import ReduceLROnPlateau


class Pinn(nn.Module):
    """u'' = -u on [0, pi], u(0) = 0, u(pi/2) = 1."""

    def __init__(self, width=20):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t):
        return self.net(t)


def derivative(u, t):
    return torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)[0]


def residual(model, t):
    t = t.clone().requires_grad_(True)
    u = model(t)
    du = derivative(u, t)
    ddu = derivative(du, t)
    return ddu + u


def physics_loss(model, t, boundary):
    tb, ub = boundary
    return residual(model, t).pow(2).mean() + 10 * (model(tb) - ub).pow(2).mean()


def pretrain(model, t, boundary, steps):
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    sched = ReduceLROnPlateau(opt, factor=0.5, patience=5)
    for _ in range(steps):
        opt.zero_grad()
        loss = physics_loss(model, t, boundary)
        loss.backward()
        opt.step()
        sched.step(loss.detach())
    return loss.item()


def polish(model, t, boundary, rounds):
    opt = torch.optim.LBFGS(model.parameters(), max_iter=10, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = physics_loss(model, t, boundary)
        loss.backward()
        return loss

    for _ in range(rounds):
        last = opt.step(closure)
    return last.item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Pinn().to(device)
    t = torch.linspace(0, torch.pi, 40, device=device).unsqueeze(1)
    boundary = (
        torch.tensor([[0.0], [torch.pi / 2]], device=device),
        torch.tensor([[0.0], [1.0]], device=device),
    )
    print("adam ", pretrain(model, t, boundary, 30))
    print("lbfgs", polish(model, t, boundary, 3))
    model.eval()
    with torch.no_grad():
        err = (model(t) - t.sin()).abs().max()
    print("max error", err.item())


if __name__ == "__main__":
    main()
