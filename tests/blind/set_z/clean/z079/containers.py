from collections import UserDict
from typing import Any

import torch


class BatchDict(UserDict):
    """Dictionary of tensors that moves itself (in place, returns self as well)."""

    def to(self, device, non_blocking=False):
        for k, v in self.data.items():
            if hasattr(v, "to"):
                self.data[k] = v.to(device, non_blocking=non_blocking)
        return self

    def detach(self):
        for k, v in self.data.items():
            if torch.is_tensor(v):
                self.data[k] = v.detach()
        return self

    @property
    def device(self):
        return next(v.device for v in self.data.values() if torch.is_tensor(v))


class Normalizer:
    """Running mean and variance; .to changes the object."""

    def __init__(self, dim, eps=1e-5):
        self.mean, self.var, self.count, self.eps = torch.zeros(dim), torch.ones(dim), 1e-4, eps

    def to(self, device):
        self.mean, self.var = self.mean.to(device), self.var.to(device)

    @torch.no_grad()
    def update(self, x):
        n = x.shape[0]
        delta = x.mean(0) - self.mean
        total = self.count + n
        self.mean = self.mean + delta * n / total
        self.var = (self.var * self.count + x.var(0, unbiased=False) * n
                    + delta.pow(2) * self.count * n / total) / total
        self.count = total

    def __call__(self, x):
        return (x - self.mean) / (self.var + self.eps).sqrt()
