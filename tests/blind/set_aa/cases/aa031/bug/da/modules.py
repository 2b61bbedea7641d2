import torch
import torch.nn as nn


class _Flip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, coeff):
        ctx.coeff = coeff
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.coeff * grad, None


class Extractor(nn.Sequential):
    def __init__(self, inp, dim):
        super().__init__(nn.Linear(inp, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU())


class DomainHead(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, feat, coeff):
        return self.net(_Flip.apply(feat, coeff)).squeeze(-1)
