import torch
from torch import nn


class OrdinalLoss(nn.Module):
    """Cumulative link loss for ordered classes."""

    def __init__(self, classes, reduction="mean"):
        super().__init__()
        self.classes = classes
        self.reduction = reduction

    def forward(self, logits, target):
        levels = torch.arange(self.classes - 1)
        truth = (target.unsqueeze(1) > levels).float()
        loss = nn.functional.binary_cross_entropy_with_logits(logits, truth, reduction="none").sum(1)
        return loss.mean() if self.reduction == "mean" else loss
