"""Affine coupling layers for density estimation."""
import math

import torch
import torch.nn as nn


class AffineCoupling(nn.Module):
    def __init__(self, dim, hidden=24, flip=False, max_scale=2.0):
        super().__init__()
        self.flip = flip
        self.max_scale = max_scale
        half = dim // 2
        self.net = nn.Sequential(nn.Linear(half, hidden), nn.Tanh(), nn.Linear(hidden, 2 * (dim - half)))

    def _split(self, x):
        a, b = x.chunk(2, dim=-1)
        return (b, a) if self.flip else (a, b)

    def forward(self, x):
        a, b = self._split(x)
        log_s, t = self.net(a).chunk(2, dim=-1)
        s = torch.exp(log_s)
        s.data.clamp_(max=self.max_scale)
        b = b * s + t
        out = torch.cat((b, a) if self.flip else (a, b), dim=-1)
        return out, s.log().sum(dim=-1)


class Flow(nn.Module):
    def __init__(self, dim, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(AffineCoupling(dim, flip=bool(i % 2)) for i in range(depth))

    def forward(self, x):
        total = x.new_zeros(x.size(0))
        for layer in self.layers:
            x, log_det = layer(x)
            total = total + log_det
        return x, total

    def nll(self, x):
        z, log_det = self(x)
        log_p = -0.5 * (z.pow(2) + math.log(2 * math.pi)).sum(dim=-1)
        return -(log_p + log_det).mean()
