"""Physics-informed network for u'' + u = 0, fitted by L-BFGS."""
import math

import torch
from torch import nn


class Field(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t):
        return self.net(t)


def derivative(y, t):
    (dy,) = torch.autograd.grad(y, t, grad_outputs=torch.ones_like(y), create_graph=True)
    return dy


class Problem:
    def __init__(self, field, device, n=24):
        self.field = field
        self.t = torch.linspace(0, math.pi, n, device=device).unsqueeze(1).requires_grad_(True)
        self.t0 = torch.zeros(1, 1, device=device, requires_grad=True)

    def residual(self):
        u = self.field(self.t)
        return derivative(derivative(u, self.t), self.t) + u

    def boundary(self):
        u0 = self.field(self.t0)
        return u0.pow(2).sum() + (derivative(u0, self.t0) - 1).pow(2).sum()

    def loss(self):
        return self.residual().pow(2).mean() + 10 * self.boundary()


class Solver:
    def __init__(self, problem):
        self.problem = problem
        self.opt = torch.optim.LBFGS(problem.field.parameters(), lr=0.5, max_iter=6, history_size=8)
        self.evaluations = 0

    def closure(self):
        self.opt.zero_grad()
        loss = self.problem.loss()
        loss.backward()
        self.evaluations += 1
        return loss

    def solve(self, rounds):
        values = []
        for _ in range(rounds):
            values.append(self.opt.step(self.closure).detach())
        return torch.stack(values)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    solver = Solver(Problem(Field().to(device), device))
    print(solver.solve(3).tolist(), solver.evaluations)
    with torch.no_grad():
        print(solver.problem.field(torch.full((1, 1), math.pi / 2, device=device)).item())


if __name__ == "__main__":
    main()
