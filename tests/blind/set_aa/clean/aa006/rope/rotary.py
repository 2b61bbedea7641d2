import torch


class RotaryCache:
    """Tables of cosines and sines, one for each device and dtype seen."""

    def __init__(self, dim, base=10000.0):
        self.dim, self.base = dim, base
        self._tables = {}

    def _build(self, n, device, dtype):
        inv = self.base ** (-torch.arange(0, self.dim, 2, device=device).float() / self.dim)
        t = torch.arange(n, device=device).float()
        ang = torch.outer(t, inv)
        return ang.cos().to(dtype), ang.sin().to(dtype)

    def get(self, x):
        n = x.size(-2)
        key = (x.device, x.dtype)
        hit = self._tables.get(key)
        if hit is None or hit[0].size(0) < n:
            hit = self._tables[key] = self._build(n, x.device, x.dtype)
        return hit[0][:n], hit[1][:n]


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
