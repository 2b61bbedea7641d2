from functools import lru_cache

import torch


@lru_cache(maxsize=8)
def frequencies(dim, base, device):
    exponent = torch.arange(0, dim, 2, device=device, dtype=torch.float32) / dim
    return base ** -exponent


def rotate(x, positions, base=10000.0):
    angle = positions[:, None].to(torch.float32) * frequencies(x.shape[-1], base, x.device)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
