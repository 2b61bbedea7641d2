import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class SoftThreshold(Function):
    """Shrinkage with a learned threshold; the third argument is a plain flag."""

    @staticmethod
    def forward(ctx, x, lam, positive=False):
        ctx.positive = positive
        ctx.save_for_backward(x, lam)
        if positive:
            return F.relu(x - lam)
        return x.sign() * F.relu(x.abs() - lam)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        x, lam = ctx.saved_tensors
        gx = glam = None
        active = ((x if ctx.positive else x.abs()) > lam).to(grad.dtype)
        if ctx.needs_input_grad[0]:
            gx = grad * active
        if ctx.needs_input_grad[1]:
            glam = (-grad * active * (1 if ctx.positive else x.sign())).sum().reshape(lam.shape)
        return gx, glam, None


class TopCode(Function):
    @staticmethod
    def forward(ctx, z, k):
        values, idx = z.topk(k, dim=1)
        ctx.mark_non_differentiable(idx)
        ctx.shape = z.shape
        ctx.save_for_backward(idx)
        return values, idx

    @staticmethod
    def backward(ctx, grad_values, grad_idx):
        (idx,) = ctx.saved_tensors
        return grad_values.new_zeros(ctx.shape).scatter(1, idx, grad_values), None


class LISTA(nn.Module):
    def __init__(self, n=16, m=32, layers=3):
        super().__init__()
        self.We = nn.Linear(n, m, bias=False)
        self.S = nn.Linear(m, m, bias=False)
        self.D = nn.Linear(m, n, bias=False)
        self.lam = nn.Parameter(torch.full((1,), 0.1))
        self.layers = layers

    def forward(self, y):
        b = self.We(y)
        z = SoftThreshold.apply(b, self.lam)
        for _ in range(self.layers):
            z = SoftThreshold.apply(b + self.S(z), self.lam)
        strongest, where = TopCode.apply(z, 4)
        return self.D(z), strongest, where


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LISTA().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    basis = torch.randn(5, 16, device=device)
    for step in range(8):
        y = torch.randn(24, 5, device=device) @ basis
        rec, strongest, where = model(y)
        loss = F.mse_loss(rec, y) + 1e-3 * strongest.square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), model.lam.item(), where.shape)
