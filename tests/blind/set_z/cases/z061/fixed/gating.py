import torch
from torch import nn


class GatedUnit(nn.Module):
    """Sigmoid gate with a floor, so that no channel is closed for ever."""

    def __init__(self, dim, floor=0.05, temperature=1.0):
        super().__init__()
        self.gate = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.floor = floor
        self.temperature = temperature

    def open_gate(self, x):
        g = torch.sigmoid(self.gate(x) / self.temperature)
        return g * (1 - self.floor) + self.floor

    def forward(self, x):
        return self.open_gate(x) * self.value(x)


class GatedStack(nn.Module):
    def __init__(self, dim, depth, out):
        super().__init__()
        self.norm = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.unit = nn.ModuleList(GatedUnit(dim) for _ in range(depth))
        self.out = nn.Linear(dim, out)

    def anneal(self, temperature):
        for u in self.unit:
            u.temperature = temperature

    def forward(self, x):
        for n, u in zip(self.norm, self.unit):
            x = x + u(n(x))
        return self.out(x)
