from typing import Any, Dict

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class SpectralLinear(nn.Module):
    """Weight divided by its largest singular value; one power iteration per training forward."""

    def __init__(self, cin, cout):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(cout, cin) / cin ** 0.5)
        self.bias = nn.Parameter(torch.zeros(cout))
        self.register_buffer("u", F.normalize(torch.randn(cout), dim=0))

    def sigma(self):
        with torch.no_grad():
            v = F.normalize(self.weight.t() @ self.u, dim=0)
            u = F.normalize(self.weight @ v, dim=0)
            if self.training:
                self.u.copy_(u)
        return u @ (self.weight @ v)

    def forward(self, x):
        return F.linear(x, self.weight / self.sigma(), self.bias)


class FeedForward(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.net = nn.Sequential(nn.Linear(dim, mult * dim), nn.GELU(), nn.Linear(mult * dim, dim))

    def forward(self, x):
        return x + self.net(self.norm(x))


class Tower(nn.Module):
    def __init__(self, dim=8, depth=4, classes=3, **options: Any):
        super().__init__()
        self.layers = nn.Sequential(*[FeedForward(dim) for _ in range(depth)])
        self.head = SpectralLinear(dim, classes)
        self.segments = options.get("segments", 0)

    def forward(self, x):
        if self.training and self.segments > 1:
            x = checkpoint_sequential(self.layers, self.segments, x, use_reentrant=False)
        elif self.training and self.segments == 1:
            x = checkpoint(self.layers, x, use_reentrant=False)
        else:
            x = self.layers(x)
        return self.head(x)


def build(cfg: Dict[str, Any]):
    return Tower(**cfg)
