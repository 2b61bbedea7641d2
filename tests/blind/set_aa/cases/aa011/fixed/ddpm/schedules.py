import math

import torch


def linear(n, lo=1e-4, hi=0.02):
    return torch.linspace(lo, hi, n)


def cosine(n, s=0.008):
    t = torch.linspace(0, n, n + 1) / n
    f = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
    return (1 - f[1:] / f[:-1]).clamp(max=0.999)


SCHEDULES = {"linear": linear, "cosine": cosine}
