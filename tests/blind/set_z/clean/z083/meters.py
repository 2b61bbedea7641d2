from typing import Dict

import torch


class DeviceMeter:
    """Adds up on the device and reads once per epoch."""

    def __init__(self):
        self.total: Dict[str, torch.Tensor] = {}
        self.count = 0

    def update(self, **values):
        for k, v in values.items():
            v = v.detach()
            self.total[k] = self.total[k] + v if k in self.total else v.clone()
        self.count += 1

    def compute(self):
        return {k: (v / self.count).item() for k, v in self.total.items()}


class Timeline:
    def __init__(self):
        self.losses = []

    def append(self, loss):
        self.losses.append(float(loss))

    def tail(self, n=5):
        part = self.losses[-n:]
        return sum(part) / len(part)
