import math
from collections import deque

import torch


class Smoothed:
    """Median and mean of the last values; takes tensors or numbers."""

    def __init__(self, window=10):
        self.values = deque(maxlen=window)
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        if isinstance(value, torch.Tensor):
            value = value.item()
        self.values.append(value)
        self.total += value * n
        self.count += n

    @property
    def median(self):
        return torch.tensor(list(self.values)).median().item()

    @property
    def mean(self):
        return self.total / max(1, self.count)


class EarlyStopping:
    def __init__(self, patience=2):
        self.patience, self.best, self.bad, self.weights = patience, math.inf, 0, None

    def __call__(self, score, model):
        if score < self.best:
            self.best, self.bad = score, 0
            self.weights = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad > self.patience

    def restore(self, model):
        if self.weights is not None:
            model.load_state_dict(self.weights)
