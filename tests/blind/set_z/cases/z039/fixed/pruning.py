import logging
from typing import Iterator, Tuple

import torch
from torch import nn

log = logging.getLogger(__name__)


def prunable(model: nn.Module) -> Iterator[Tuple[str, nn.Parameter]]:
    for name, module in model.named_modules():
        if isinstance(module, (nn.Linear, nn.Conv2d)):
            yield f"{name}.weight", module.weight


class MagnitudePruner:
    """Keeps the largest weights; masks are applied again after every optimizer step."""

    def __init__(self, model, amount=0.0, start_step=0):
        self.model, self.amount, self.start_step = model, amount, start_step
        self.masks = {}

    def compute_masks(self):
        for name, w in prunable(self.model):
            k = int(self.amount * w.numel())
            if k == 0:
                continue
            threshold = w.detach().abs().flatten().kthvalue(k).values
            self.masks[name] = (w.detach().abs() > threshold).to(w.dtype)

    @torch.no_grad()
    def apply_masks(self):
        for name, w in prunable(self.model):
            if name in self.masks:
                w.mul_(self.masks[name])

    def after_step(self, step):
        if self.amount <= 0 or step < self.start_step:
            return
        if not self.masks:
            self.compute_masks()
        self.apply_masks()

    def sparsity(self):
        zeros = sum(int((w == 0).sum()) for _, w in prunable(self.model))
        return zeros / sum(w.numel() for _, w in prunable(self.model))
