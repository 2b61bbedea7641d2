import torch
from torch.autograd import Function


class ClippedLeaky(Function):
    @staticmethod
    def forward(ctx, x, slope, limit):
        ctx.save_for_backward(x)
        ctx.slope, ctx.limit = slope, limit
        return torch.where(x > 0, x, slope * x).clamp(max=limit)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        g = torch.where(x > 0, grad, ctx.slope * grad)
        g = g * (x < ctx.limit)
        return g, None, None
