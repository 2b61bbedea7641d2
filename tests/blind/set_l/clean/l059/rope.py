import torch


class AngleCache:
    """Sin/cos tables per length, device and dtype."""

    def __init__(self, dim, base=10000.0):
        self.dim, self.base = dim, base
        self.store = {}

    def get(self, n, like):
        key = (n, like.device, like.dtype)
        if key not in self.store:
            inv = self.base ** (-torch.arange(0, self.dim, 2, device=like.device).float() / self.dim)
            ang = torch.outer(torch.arange(n, device=like.device).float(), inv)
            self.store[key] = ang.cos().to(like.dtype), ang.sin().to(like.dtype)
        return self.store[key]


def rotate(x, cache):
    cos, sin = cache.get(x.size(-2), x)
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
