from typing import NamedTuple

import torch
import torch.nn as nn


class Packet(NamedTuple):
    hidden: torch.Tensor
    skip: torch.Tensor
    step: int


class Stem(nn.Module):
    def __init__(self, inp, dim):
        super().__init__()
        self.lin = nn.Linear(inp, dim)

    def forward(self, x):
        h = self.lin(x)
        return Packet(h, h, 0)


class Residual(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.f = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, p):
        return Packet(p.hidden + self.f(p.hidden), p.skip, p.step + 1)


class Readout(nn.Module):
    def __init__(self, dim, out):
        super().__init__()
        self.lin = nn.Linear(2 * dim, out)

    def forward(self, p):
        return self.lin(torch.cat([p.hidden, p.skip], dim=-1))
