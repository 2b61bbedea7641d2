import torch
from torch import nn
import torch.nn.functional as F

REDUCTIONS = {"mean": torch.mean, "sum": torch.sum, "none": lambda v: v}


class OhemLoss(nn.Module):
    """Online hard example mining around a cross entropy."""

    def __init__(self, keep=0.5, reduction="none"):
        super().__init__()
        self.keep = keep
        self.reduce = REDUCTIONS[reduction]

    def forward(self, logits, target):
        each = F.cross_entropy(logits, target, reduction="none")
        k = max(1, int(self.keep * each.numel()))
        hard, _ = each.topk(k)
        return self.reduce(hard)


def build_criterion(hard_mining=False, **kwargs):
    if hard_mining:
        return OhemLoss(reduction="mean", **kwargs)
    return nn.CrossEntropyLoss()
