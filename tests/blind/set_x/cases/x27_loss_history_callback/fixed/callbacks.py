"""A trainer with callbacks."""
from collections import defaultdict

import torch


class Callback:
    def on_batch_end(self, logs):
        pass

    def on_epoch_end(self, epoch):
        pass


class History(Callback):
    """Keeps the values of the running epoch and the mean of each finished one."""

    def __init__(self):
        self.current = defaultdict(list)
        self.epochs = []

    def on_batch_end(self, logs):
        for name, value in logs.items():
            self.current[name].append(value)

    def on_epoch_end(self, epoch):
        self.epochs.append({n: torch.stack(v).mean() for n, v in self.current.items()})
        self.current.clear()
