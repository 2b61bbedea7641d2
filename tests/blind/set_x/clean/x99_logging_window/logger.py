"""A meter that holds tensors until they are wanted as numbers."""
from collections import deque
from typing import Deque, Dict

import torch


class WindowMeter:
    def __init__(self, window: int):
        self.values: Deque[torch.Tensor] = deque(maxlen=window)

    def update(self, value: torch.Tensor):
        self.values.append(value.detach())

    def read(self) -> float:
        return torch.stack(list(self.values)).mean().item()


class MetricLogger:
    def __init__(self, window=20, every=5):
        self.window, self.every = window, every
        self.meters: Dict[str, WindowMeter] = {}
        self.step = 0

    def update(self, **values: torch.Tensor):
        for name, value in values.items():
            self.meters.setdefault(name, WindowMeter(self.window)).update(value)
        self.step += 1
        if self.step % self.every == 0:
            print(self)

    def __str__(self):
        return f"[{self.step}] " + "  ".join(f"{n}: {m.read():.4f}" for n, m in self.meters.items())
