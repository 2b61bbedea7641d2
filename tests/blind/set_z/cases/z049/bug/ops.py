import torch
from torch import nn
from torch.autograd import Function


class _GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output


def grad_reverse(x, strength=1.0):
    return _GradientReversal.apply(x, strength)


class GradientReversal(nn.Module):
    """Identity whose backward is turned round; the strength follows the progress of training."""

    def __init__(self, gamma=10.0):
        super().__init__()
        self.gamma = gamma
        self.progress = 0.0

    @property
    def strength(self):
        return 2.0 / (1.0 + torch.exp(torch.tensor(-self.gamma * self.progress)).item()) - 1.0

    def forward(self, x):
        return grad_reverse(x, self.strength)
