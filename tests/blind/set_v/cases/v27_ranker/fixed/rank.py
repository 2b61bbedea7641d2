import torch
from torch import nn


def pair_margin(scores, order, margin=0.2):
    """Hinge over all ordered pairs of one query."""
    terms = []
    for i, hi in enumerate(order):
        for lo in order[i + 1 :]:
            terms.append(torch.clamp(margin - scores[hi] + scores[lo], min=0))
    return terms


class RankLoss(nn.Module):
    def __init__(self, margin=0.2, reduction="mean"):
        super().__init__()
        self.margin = margin
        self.reduction = reduction

    def forward(self, scores, orders):
        terms = []
        for s, o in zip(scores, orders):
            terms.extend(pair_margin(s, o, self.margin))
        stacked = torch.stack(terms)
        return getattr(stacked, self.reduction)()
