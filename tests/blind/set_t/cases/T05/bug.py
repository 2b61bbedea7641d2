"""Poisson equation on (0, 1) with hard boundary conditions."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Config:
    width: int = 24
    depth: int = 3
    points: int = 64
    steps: int = 20
    lr: float = 2e-3


class Ansatz(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        sizes = [1] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.out = nn.Linear(width, 1)

    def envelope(self, x):
        return x * (1 - x)

    def forward(self, x):
        h = x
        for layer in self.hidden:
            h = torch.tanh(layer(h))
        u = torch.tanh(self.out(h))
        u *= self.envelope(x)
        return u


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def residual(net, x):
    u = net(x)
    du = derivative(u, x)
    ddu = derivative(du, x)
    return ddu + math.pi ** 2 * torch.sin(math.pi * x)


def solve(cfg):
    torch.manual_seed(0)
    net = Ansatz(cfg.width, cfg.depth)
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    for step in range(cfg.steps):
        x = torch.rand(cfg.points, 1, requires_grad=True)
        loss = residual(net, x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"{step:4d}  {loss.item():.5f}")
    return net


if __name__ == "__main__":
    net = solve(Config())
    with torch.no_grad():
        grid = torch.linspace(0, 1, 11).unsqueeze(1)
        error = (net(grid) - torch.sin(math.pi * grid)).abs().max()
    print("max error", error.item())
