import torch
from torch import nn


class ChannelMix(nn.Module):
    """Splits channels, treats one half, lets the other pass."""

    def __init__(self, dim, ratio=0.5, residual=True):
        super().__init__()
        self.cut = int(dim * ratio)
        self.dim = dim
        self.proj = nn.Linear(dim, dim)
        self.gate = nn.Linear(self.cut, self.cut)
        self.residual = residual

    def partition(self, x):
        return x.split([self.cut, self.dim - self.cut], dim=-1)

    def forward(self, x):
        a, b = self.partition(self.proj(x))
        a = a + self.gate(a)
        y = torch.cat([a, b.relu()], dim=-1)
        return x + y if self.residual else y


class Stage(nn.Sequential):
    def __init__(self, dim, depth, **kwargs):
        super().__init__(*[ChannelMix(dim, **kwargs) for _ in range(depth)])


class Encoder(nn.Module):
    def __init__(self, cin, dims=(8, 12), depth=2, classes=3):
        super().__init__()
        self.stem = nn.Linear(cin, dims[0])
        stages = []
        for i, d in enumerate(dims):
            stages.append(Stage(d, depth))
            if i + 1 < len(dims):
                stages.append(nn.Linear(d, dims[i + 1]))
        self.stages = nn.ModuleList(stages)
        self.head = nn.Linear(dims[-1], classes)

    def forward(self, x):
        x = self.stem(x)
        for s in self.stages:
            x = s(x)
        return self.head(x.mean(1))
