import torch
import torch.nn as nn
import torch.nn.functional as F


class _Nearest(torch.autograd.Function):
    """Looks codes up; the gradient goes to the latents unchanged and to the used codes summed."""

    @staticmethod
    def forward(ctx, z, codes):
        ids = torch.cdist(z, codes).argmin(dim=1)
        ctx.save_for_backward(ids)
        ctx.codes_shape = codes.shape
        ctx.mark_non_differentiable(ids)
        return codes[ids], ids

    @staticmethod
    def backward(ctx, grad_out, _):
        ids, = ctx.saved_tensors
        grad_codes = None
        if ctx.needs_input_grad[1]:
            grad_codes = grad_out.new_zeros(ctx.codes_shape).index_add_(0, ids, grad_out)
        return grad_out, grad_codes


class EMACodebook(nn.Module):
    def __init__(self, n, dim, decay=0.95):
        super().__init__()
        self.decay = decay
        self.register_buffer("codes", torch.randn(n, dim))
        self.register_buffer("count", torch.ones(n))
        self.register_buffer("total", self.codes.clone())

    @torch.no_grad()
    def _refresh(self, z, ids):
        hot = F.one_hot(ids, len(self.codes)).to(z.dtype)
        self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(hot.t() @ z, alpha=1 - self.decay)
        self.codes.copy_(self.total / self.count.clamp(min=1e-3)[:, None])

    def forward(self, z):
        q, ids = _Nearest.apply(z, self.codes)
        commit = F.mse_loss(z, q.detach())
        if self.training:
            self._refresh(z, ids)
        return q, commit, ids
