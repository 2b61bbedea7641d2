"""EMA of weights with a swap for evaluation."""
from contextlib import contextmanager

import torch
from torch import nn


class EMA:
    def __init__(self, model: nn.Module, decay=0.99):
        self.model = model
        self.decay = decay
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters() if p.requires_grad}
        self.backup = {}

    @torch.no_grad()
    def update(self):
        for name, p in self.model.named_parameters():
            if name in self.shadow:
                self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)

    @contextmanager
    def applied(self):
        self.backup = {n: p.detach().clone() for n, p in self.model.named_parameters() if n in self.shadow}
        self._write(self.shadow)
        try:
            yield self.model
        finally:
            self._write(self.backup)
            self.backup = {}

    @torch.no_grad()
    def _write(self, values):
        for name, p in self.model.named_parameters():
            if name in values:
                p.copy_(values[name])

    def state_dict(self):
        return {n: v.cpu() for n, v in self.shadow.items()}
