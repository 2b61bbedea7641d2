import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PINN(nn.Module):
    """Solves u'' = -u on [0, pi] with u(0) = 0, u'(0) = 1."""

    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t):
        return self.net(t)

    def derivative(self, y, t):
        return torch.autograd.grad(y, t, grad_outputs=torch.ones_like(y), create_graph=True)[0]


def residual(model, t):
    t = t.requires_grad_(True)
    u = model(t)
    du = model.derivative(u, t)
    return model.derivative(du, t) + u


def boundary(model):
    t0 = torch.zeros(1, 1, device=device, requires_grad=True)
    u0 = model(t0)
    return u0.pow(2).sum() + (model.derivative(u0, t0) - 1).pow(2).sum()


def main():
    model = PINN().to(device)
    grid = torch.linspace(0, torch.pi, 20, device=device).unsqueeze(1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = residual(model, grid.clone()).pow(2).mean() + boundary(model)
        loss.backward()
        losses.append(loss.item())
        return loss

    for _ in range(2):
        optimizer.step(closure)
    with torch.no_grad():
        print(losses[-1], model(grid)[-1].item())


if __name__ == "__main__":
    main()
