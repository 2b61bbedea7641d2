import math
from abc import ABC, abstractmethod
from typing import Dict, Type

REGISTRY: Dict[str, Type["Schedule"]] = {}


class Schedule(ABC):
    """Per-iteration schedule, set before the step (not a torch scheduler)."""

    def __init_subclass__(cls, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if name:
            REGISTRY[name] = cls

    def __init__(self, optimizer, total, **kwargs):
        self.optimizer, self.total = optimizer, total
        self.base = [g["lr"] for g in optimizer.param_groups]
        self.options = kwargs
        self.i = 0

    @abstractmethod
    def factor(self, i):
        ...

    def step(self):
        f = self.factor(self.i)
        for g, lr in zip(self.optimizer.param_groups, self.base):
            g["lr"] = lr * f
        self.i += 1
        return f


class WarmCosine(Schedule, name="cosine"):
    def factor(self, i):
        w = self.options.get("warmup", 2)
        if i < w:
            return (i + 1) / w
        return 0.5 * (1 + math.cos(math.pi * (i - w) / max(1, self.total - w)))


class Constant(Schedule, name="constant"):
    def factor(self, i):
        return 1.0


def make(name, optimizer, total, **kwargs):
    return REGISTRY[name](optimizer, total, **kwargs)
