from functools import partial

import torch
from torch import nn
import torch.nn.functional as F


class Tversky(nn.Module):
    def __init__(self, alpha=0.3, beta=0.7):
        super().__init__()
        self.alpha, self.beta = alpha, beta

    def forward(self, logits, target):
        p = logits.sigmoid()
        tp = (p * target).sum()
        fp = (p * (1 - target)).sum()
        fn = ((1 - p) * target).sum()
        return 1 - (tp + 1) / (tp + self.alpha * fp + self.beta * fn + 1)


def smooth_bce(eps=0.1):
    def loss(logits, target):
        soft = target * (1 - eps) + 0.5 * eps
        return nn.BCEWithLogitsLoss()(logits, soft)
    return loss


OBJECTIVES = {
    "bce": lambda **kw: nn.BCEWithLogitsLoss(),
    "tversky": lambda **kw: Tversky(**kw),
    "smooth": smooth_bce,
}


def get_objective(name, **kwargs):
    if name not in OBJECTIVES:
        raise ValueError(f"{name} not in {sorted(OBJECTIVES)}")
    return OBJECTIVES[name](**kwargs)
