import torch
from torch import nn


class Multiplier(nn.Module):
    """Lagrange multiplier of  value <= limit, kept non-negative, moved by its own ascent."""

    def __init__(self, limit, lr=0.1):
        super().__init__()
        self.limit, self.lr = limit, lr
        self.lam = nn.Parameter(torch.tensor(0.5))

    def penalty(self, value):
        return self.lam.detach() * (value - self.limit)

    @torch.no_grad()
    def ascend(self, value):
        self.lam.add_(self.lr * (value - self.limit)).clamp_(min=0)
