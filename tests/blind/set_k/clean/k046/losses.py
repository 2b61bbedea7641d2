from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, target):
        p = logits.sigmoid().flatten(1)
        t = target.flatten(1)
        inter = (p * t).sum(1)
        return (1 - (2 * inter + self.smooth) / (p.sum(1) + t.sum(1) + self.smooth)).mean()


FACTORIES = {
    "dice": DiceLoss,
    "bce": lambda: F.binary_cross_entropy_with_logits,
    "weighted_bce": partial(nn.BCEWithLogitsLoss, pos_weight=torch.tensor(3.0)),
}


def build(spec):
    return [(w, FACTORIES[name]()) for name, w in spec.items()]


def total(terms, logits, target):
    return sum(w * term(logits, target) for w, term in terms)
