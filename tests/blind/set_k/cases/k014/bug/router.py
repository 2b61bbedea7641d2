import torch
import torch.nn as nn


def limit_capacity(gates, capacity):
    """Tokens over an expert's capacity lose their place, the rest keep their gate."""
    rank = gates.argsort(dim=0, descending=True).argsort(dim=0)
    gates.masked_fill_(rank >= capacity, 0.0)
    return gates


class Router(nn.Module):
    def __init__(self, dim, experts, capacity):
        super().__init__()
        self.proj = nn.Linear(dim, experts, bias=False)
        self.capacity = capacity

    def forward(self, x):
        gates = self.proj(x).softmax(dim=-1)
        balance = gates.mean(0).pow(2).sum()
        return limit_capacity(gates, self.capacity), balance


class MoE(nn.Module):
    def __init__(self, dim, experts=4, capacity=6):
        super().__init__()
        self.router = Router(dim, experts, capacity)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)) for _ in range(experts))

    def forward(self, x):
        gates, balance = self.router(x)
        mixed = torch.stack([e(x) for e in self.experts], dim=1)
        return x + (gates.unsqueeze(-1) * mixed).sum(1), balance
