import torch
from torch import nn


class GatedUnit(nn.Module):
    """Residual unit whose gate never opens more than `ceiling`."""

    def __init__(self, dim, ceiling=0.5):
        super().__init__()
        self.gate = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.ceiling = ceiling

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        gate.data.mul_(self.ceiling)
        return x + gate * torch.tanh(self.value(x))


class GatedStack(nn.Module):
    def __init__(self, dim, depth, out):
        super().__init__()
        self.units = nn.ModuleList(GatedUnit(dim) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, out)

    def forward(self, x):
        for unit in self.units:
            x = unit(x)
        return self.out(self.norm(x))
