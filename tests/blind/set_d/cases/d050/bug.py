import torch
from torch import nn


class SwishFn(torch.autograd.Function):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * s * (1 + x * (1 - s))


class Swish(nn.Module):
    def forward(self, x):
        return SwishFn()(x)
