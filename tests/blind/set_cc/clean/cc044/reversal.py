import torch
from torch import nn


class _Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None


class GradientReversal(nn.Module):
    def __init__(self, strength=0.0):
        super().__init__()
        self.strength = strength

    def forward(self, x):
        return _Reverse.apply(x, self.strength)
