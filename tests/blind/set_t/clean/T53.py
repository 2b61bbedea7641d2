"""Burgers' equation: Adam first, LBFGS to polish."""
import math
import torch
from torch import nn
from torch.autograd import grad


class Field(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.log_nu = nn.Parameter(torch.tensor(math.log(0.02)))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=1))


def partial(y, *wrt):
    return grad(y.sum(), wrt, create_graph=True)


class BurgersSolver:
    def __init__(self, device, n=100):
        self.field = Field().to(device)
        g = torch.Generator().manual_seed(0)
        pts = torch.rand(n, 2, generator=g).to(device)
        self.x = (pts[:, :1] * 2 - 1).requires_grad_()
        self.t = pts[:, 1:].clone().requires_grad_()
        self.x0 = torch.linspace(-1, 1, 40, device=device).unsqueeze(1)
        self.u0 = -torch.sin(math.pi * self.x0)

    def physics(self):
        u = self.field(self.x, self.t)
        u_x, u_t = partial(u, self.x, self.t)
        (u_xx,) = partial(u_x, self.x)
        return (u_t + u * u_x - self.field.log_nu.exp() * u_xx).square().mean()

    def initial(self):
        return (self.field(self.x0, torch.zeros_like(self.x0)) - self.u0).square().mean()

    def loss(self):
        return self.physics() + 10 * self.initial()

    def warmup(self, steps):
        optimizer = torch.optim.Adam(self.field.parameters(), lr=1e-3)
        for _ in range(steps):
            optimizer.zero_grad()
            loss = self.loss()
            loss.backward(inputs=list(self.field.parameters()))
            optimizer.step()
        return loss.item()

    def polish(self, steps):
        optimizer = torch.optim.LBFGS(self.field.parameters(), max_iter=steps, line_search_fn="strong_wolfe")

        def closure():
            optimizer.zero_grad()
            loss = self.loss()
            loss.backward(inputs=list(self.field.parameters()))
            return loss

        return optimizer.step(closure).item()


if __name__ == "__main__":
    torch.manual_seed(0)
    solver = BurgersSolver("cuda" if torch.cuda.is_available() else "cpu")
    print("adam", solver.warmup(10))
    print("lbfgs", solver.polish(5))
    print("nu", solver.field.log_nu.exp().item())
