import torch
from torch import nn
from torch.autograd.function import once_differentiable


class _SignSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return torch.where(w >= 0, 1.0, -1.0)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        w, = ctx.saved_tensors
        return grad * (w.abs() <= 1)


class _SmoothClip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bound):
        y = bound * torch.tanh(x / bound)
        ctx.bound = bound
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None
        return grad * (1 - (y / ctx.bound) ** 2), None


sign_ste = _SignSTE.apply


def smooth_clip(x, bound):
    return _SmoothClip.apply(x, bound)


class BinaryLinear(nn.Linear):
    def forward(self, x):
        scale = self.weight.detach().abs().mean(1, keepdim=True)
        return nn.functional.linear(smooth_clip(x, 3.0), sign_ste(self.weight) * scale, self.bias)

    @torch.no_grad()
    def clip_weights(self):
        self.weight.clamp_(-1, 1)
