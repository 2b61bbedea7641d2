"""Quantisation-aware training with learnt step sizes."""
import torch
from torch import nn
import torch.nn.functional as F


def pass_through(value, original):
    """The value going forward, the gradient of the original going back."""
    return original + (value - original).detach()


def scale_gradient(x, factor):
    y = x * factor
    return (x - y).detach() + y


class LSQ(nn.Module):
    def __init__(self, bits=4, signed=True):
        super().__init__()
        self.lo = -(2 ** (bits - 1)) if signed else 0
        self.hi = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1
        self.step = nn.Parameter(torch.tensor(0.1))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def calibrate(self, x):
        self.step.copy_(2 * x.abs().mean() / self.hi ** 0.5)
        self.ready.fill_(True)

    def forward(self, x):
        step = scale_gradient(self.step, (x.numel() * self.hi) ** -0.5)
        z = (x / step).clamp(self.lo, self.hi)
        return pass_through(z.round(), z) * step


class QuantLinear(nn.Linear):
    def __init__(self, i, o, bits=4):
        super().__init__(i, o)
        self.qw, self.qx = LSQ(bits), LSQ(bits, signed=False)

    def forward(self, x):
        return F.linear(self.qx(x), self.qw(self.weight), self.bias)
