"""Noise schedules, by name."""
import math

import torch

_REGISTRY = {}


def schedule(name):
    def add(fn):
        _REGISTRY[name] = fn
        return fn
    return add


@schedule("linear")
def linear(T):
    return torch.linspace(1e-4, 2e-2, T)


@schedule("cosine")
def cosine(T, s=8e-3):
    def f(u):
        return math.cos((u + s) / (1 + s) * math.pi / 2) ** 2
    return torch.tensor([min(1 - f((i + 1) / T) / f(i / T), 0.999) for i in range(T)])


def get(name, T):
    return _REGISTRY[name](T)
