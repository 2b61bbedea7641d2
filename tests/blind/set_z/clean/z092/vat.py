import contextlib

import torch
from torch import nn
import torch.nn.functional as F


@contextlib.contextmanager
def frozen_bn_stats(model):
    """Batch norm keeps its running statistics while perturbed inputs pass."""
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    before = [m.track_running_stats for m in norms]
    for m in norms:
        m.track_running_stats = False
    yield
    for m, b in zip(norms, before):
        m.track_running_stats = b


def unit(d):
    return d / d.flatten(1).norm(dim=1).view(-1, *[1] * (d.dim() - 1)).clamp(min=1e-8)


def kl(p_logits, q_logits):
    return F.kl_div(F.log_softmax(q_logits, 1), F.softmax(p_logits, 1), reduction="batchmean")


class VATLoss(nn.Module):
    """Virtual adversarial training: power iteration for the worst direction, then one penalty."""

    def __init__(self, xi=1e-1, eps=1.0, iterations=1):
        super().__init__()
        self.xi, self.eps, self.iterations = xi, eps, iterations

    def forward(self, model, x):
        with frozen_bn_stats(model):
            with torch.no_grad():
                clean = model(x)
            d = unit(torch.randn_like(x))
            for _ in range(self.iterations):
                d.requires_grad_()
                distance = kl(clean, model(x + self.xi * d))
                grad, = torch.autograd.grad(distance, d)
                d = unit(grad.detach())
            return kl(clean, model(x + self.eps * d))
