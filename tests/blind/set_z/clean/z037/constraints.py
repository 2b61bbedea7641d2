from typing import Callable, Dict

import torch
from torch import nn

CONSTRAINTS: Dict[str, Callable] = {}


def constraint(fn):
    CONSTRAINTS[fn.__name__] = fn
    return fn


@constraint
def max_norm(w, limit=1.0):
    norm = w.norm(dim=1, keepdim=True).clamp(min=1e-8)
    w.mul_(norm.clamp(max=limit) / norm)


@constraint
def non_negative(w):
    w.clamp_(min=0)


@constraint
def zero_diagonal(w):
    w.fill_diagonal_(0)


class Constrained:
    """Wraps an optimizer, projects after every step."""

    def __init__(self, optimizer, rules):
        self.optimizer, self.rules = optimizer, rules

    def __getattr__(self, name):
        return getattr(self.optimizer, name)

    def step(self, closure=None):
        loss = self.optimizer.step(closure)
        self.project()
        return loss

    @torch.no_grad()
    def project(self):
        for param, name in self.rules:
            CONSTRAINTS[name](param)


@torch.no_grad()
def init_orthogonal_(model):
    for m in model.modules():
        if isinstance(m, nn.Linear):
            q, _ = torch.linalg.qr(torch.randn(max(m.weight.shape), min(m.weight.shape)))
            m.weight.copy_(q if m.weight.shape == q.shape else q.t())
            m.bias.zero_()
