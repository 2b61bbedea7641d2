"""Project conflicting task gradients (gradient surgery)."""
import random

import torch


class PCGrad:
    def __init__(self, params, optimizer):
        self.params = [p for p in params if p.requires_grad]
        self.optimizer = optimizer

    def _flat_grads(self, losses):
        rows = []
        for i, loss in enumerate(losses):
            grads = torch.autograd.grad(loss, self.params, retain_graph=i + 1 < len(losses), allow_unused=True)
            rows.append(torch.cat([(torch.zeros_like(p) if g is None else g).flatten() for p, g in zip(self.params, grads)]))
        return rows

    @staticmethod
    def _project(rows):
        out = [r.clone() for r in rows]
        for g in out:
            for other in random.sample(rows, len(rows)):
                dot = torch.dot(g, other)
                if dot < 0:
                    g -= dot / other.square().sum().clamp(min=1e-12) * other
        return torch.stack(out).sum(0)

    def step(self, losses):
        merged = self._project(self._flat_grads(losses))
        start = 0
        for p in self.params:
            n = p.numel()
            p.grad = merged[start:start + n].view_as(p).clone()
            start += n
        self.optimizer.step()
