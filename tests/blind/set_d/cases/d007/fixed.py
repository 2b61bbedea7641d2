import torch
from torch import nn


class HyperHeads(nn.Module):
    def __init__(self, dim, sizes):
        super().__init__()
        self.sizes = sizes
        self.heads = nn.ModuleList([nn.Linear(dim, s) for s in sizes])
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in sizes])

    def forward(self, x):
        return [s * head(x) for head, s in zip(self.heads, self.scales)]
