import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        inv = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv, persistent=False)
        self._cache = None

    def tables(self, x):
        n = x.size(-2)
        c = self._cache
        if c is None or c[0].size(0) < n or c[0].device != x.device or c[0].dtype != x.dtype:
            t = torch.arange(n, device=x.device, dtype=self.inv_freq.dtype)
            f = torch.outer(t, self.inv_freq)
            self._cache = c = (f.cos().to(x.dtype), f.sin().to(x.dtype))
        return c[0][:n], c[1][:n]

    def forward(self, x):
        cos, sin = self.tables(x)
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
