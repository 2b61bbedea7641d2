from collections import defaultdict
from typing import Dict, List

import torch
from torch import nn


class GradientTap:
    """Collects statistics of gradients at intermediate outputs with tensor hooks."""

    def __init__(self, model, names):
        self.stats: Dict[str, List[float]] = defaultdict(list)
        self.handles = []
        modules = dict(model.named_modules())
        for name in names:
            self.handles.append(modules[name].register_forward_hook(self._make(name)))

    def _make(self, name):
        def on_forward(module, inputs, output):
            if torch.is_grad_enabled() and output.requires_grad:
                output.register_hook(lambda g: self.stats[name].append(g.detach().norm().item()))
        return on_forward

    def remove(self):
        for h in self.handles:
            h.remove()
        self.handles.clear()

    def summary(self):
        return {k: sum(v) / len(v) for k, v in self.stats.items() if v}


class InputGradient:
    def __init__(self, model):
        self.model = model

    def __call__(self, x, y, loss_fn):
        emb = self.model.embed(x)
        emb.retain_grad()
        loss = loss_fn(self.model.from_embedding(emb), y)
        loss.backward()
        grad = emb.grad.clone()
        self.model.zero_grad(set_to_none=True)
        return grad, loss.detach()
