import torch
from torch import nn
from torch.autograd import Function


class _Step(Function):
    @staticmethod
    def forward(ctx, x, width):
        ctx.save_for_backward(x)
        ctx.width = width
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() < ctx.width).to(grad.dtype), None


class BinaryGate(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return x * _Step.apply(self.logits, 1.0)


class VectorQuantizer(nn.Module):
    def __init__(self, codes, dim, commitment=0.25):
        super().__init__()
        self.codebook = nn.Embedding(codes, dim)
        self.commitment = commitment
        self.register_buffer("usage", torch.zeros(codes))

    def forward(self, z):
        idx = torch.cdist(z, self.codebook.weight).argmin(dim=1)
        q = self.codebook(idx)
        loss = (q - z.detach()).pow(2).mean() + self.commitment * (z - q.detach()).pow(2).mean()
        if self.training:
            self.usage += torch.bincount(idx, minlength=self.usage.numel())
        return z + (q - z).detach(), loss, idx


def fake_quant(x, bits=8):
    scale = x.detach().abs().max() / (2 ** (bits - 1) - 1)
    return x + ((x / scale).round() * scale - x).detach()
