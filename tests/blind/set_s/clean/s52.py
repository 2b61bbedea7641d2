import torch
import torch.nn as nn


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_out):
        return -ctx.strength * grad_out, None


class MaskedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, mask, bias=None):
        ctx.save_for_backward(x, weight, mask)
        ctx.has_bias = bias is not None
        out = x @ (weight * mask).t()
        return out + bias if bias is not None else out

    @staticmethod
    def backward(ctx, grad_out):
        x, weight, mask = ctx.saved_tensors
        grad_x = grad_w = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_out @ (weight * mask)
        if ctx.needs_input_grad[1]:
            grad_w = (grad_out.t() @ x) * mask
        if ctx.has_bias and ctx.needs_input_grad[3]:
            grad_b = grad_out.sum(0)
        return grad_x, grad_w, None, grad_b


class SparseLayer(nn.Module):
    def __init__(self, inp, out, density=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out, inp) * inp ** -0.5)
        self.bias = nn.Parameter(torch.zeros(out))
        self.register_buffer("mask", (torch.rand(out, inp) < density).float())

    def forward(self, x):
        return MaskedLinear.apply(x, self.weight, self.mask, self.bias)


class DomainAdversarial(nn.Module):
    def __init__(self, inp=6, dim=8, classes=3):
        super().__init__()
        self.features = nn.Sequential(SparseLayer(inp, dim), nn.ReLU())
        self.label, self.domain = SparseLayer(dim, classes), SparseLayer(dim, 2)

    def forward(self, x, strength=1.0):
        h = self.features(x)
        return self.label(h), self.domain(ReverseGradient.apply(h, strength))
