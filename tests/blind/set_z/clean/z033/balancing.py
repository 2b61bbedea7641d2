from typing import List, Sequence

import torch


class GradNormProbe:
    """Measures how strongly each task pulls on the shared weights."""

    def __init__(self, shared: Sequence[torch.nn.Parameter]):
        self.shared = list(shared)

    def __call__(self, losses: List[torch.Tensor]) -> torch.Tensor:
        norms = []
        for loss in losses:
            grads = torch.autograd.grad(loss, self.shared, retain_graph=True)
            norms.append(torch.sqrt(sum(g.pow(2).sum() for g in grads)))
        return torch.stack(norms).detach()


def project_conflicts(flat: List[torch.Tensor]) -> torch.Tensor:
    """PCGrad over flattened task gradients."""
    out = [g.clone() for g in flat]
    for i, gi in enumerate(out):
        for j, gj in enumerate(flat):
            if i != j:
                dot = torch.dot(gi, gj)
                if dot < 0:
                    gi -= dot / gj.pow(2).sum() * gj
    return torch.stack(out).sum(0)


def assign(params, flat):
    start = 0
    for p in params:
        n = p.numel()
        p.grad = flat[start:start + n].view_as(p).clone()
        start += n
