import torch
import torch.nn as nn


class Schedule(nn.Module):
    """Tables are derived, so they follow moves but stay out of checkpoints."""

    names = ("betas", "alphas_bar", "sigma")

    def __init__(self, T):
        super().__init__()
        self.T = T
        self.betas = torch.linspace(1e-4, 0.05, T)
        self.alphas_bar = torch.cumprod(1 - self.betas, 0)
        self.sigma = (1 - self.alphas_bar).sqrt()

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        for n in self.names:
            setattr(self, n, fn(getattr(self, n)))
        return self

    def noisy(self, x, t, eps):
        shape = (-1,) + (1,) * (x.dim() - 1)
        return self.alphas_bar[t].sqrt().view(shape) * x + self.sigma[t].view(shape) * eps
