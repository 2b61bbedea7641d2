import torch


def two_views(x, strength=0.1):
    return tuple(x * (torch.rand_like(x) > 0.1) + strength * torch.randn_like(x) for _ in range(2))
