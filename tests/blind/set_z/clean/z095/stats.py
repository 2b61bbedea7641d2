from collections import deque
from typing import Deque

import torch
from torch import nn


class LogitAdjust(nn.Module):
    """Shifts logits by the class frequencies seen lately."""

    def __init__(self, classes, tau=1.0, momentum=0.9):
        super().__init__()
        self.tau, self.momentum = tau, momentum
        self.register_buffer("freq", torch.full((classes,), 1.0 / classes))

    @torch.no_grad()
    def observe(self, labels):
        now = torch.bincount(labels, minlength=self.freq.numel()).to(self.freq.dtype)
        self.freq = self.momentum * self.freq + (1 - self.momentum) * now / now.sum()

    def forward(self, logits):
        return logits + self.tau * self.freq.clamp(min=1e-6).log()


class FeatureQueue:
    def __init__(self, size):
        self.rows: Deque[torch.Tensor] = deque(maxlen=size)

    def push(self, feats, labels):
        for f, y in zip(feats.detach().clone(), labels.tolist()):
            self.rows.append((f, y))

    def prototypes(self, classes):
        groups = {c: [f for f, y in self.rows if y == c] for c in range(classes)}
        return {c: torch.stack(g).mean(0) for c, g in groups.items() if g}


class LossScale:
    """Divides by a running mean of the loss, which carries no gradient."""

    def __init__(self, beta=0.9):
        self.beta, self.value = beta, None

    def __call__(self, loss):
        now = loss.item()
        self.value = now if self.value is None else self.beta * self.value + (1 - self.beta) * now
        return loss / max(self.value, 1e-8)
