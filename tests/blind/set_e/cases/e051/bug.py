import torch
from torch import nn
from torch.autograd import Function


class SoftThreshold(Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.x = x
        ctx.lam = lam
        return x.sign() * (x.abs() - lam).clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        return grad * (ctx.x.abs() > ctx.lam), None


def soft_threshold(x, lam):
    return SoftThreshold.apply(x, lam)


class LISTA(nn.Module):
    """Unrolled sparse coding."""

    def __init__(self, d, atoms, steps=3, lam=0.1):
        super().__init__()
        self.we, self.s = nn.Linear(d, atoms, bias=False), nn.Linear(atoms, atoms, bias=False)
        self.steps, self.lam = steps, lam

    def forward(self, x):
        b = self.we(x)
        z = soft_threshold(b, self.lam)
        for _ in range(self.steps):
            z = soft_threshold(b + self.s(z), self.lam)
        return z
