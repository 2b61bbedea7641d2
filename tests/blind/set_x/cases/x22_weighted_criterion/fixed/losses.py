from typing import Optional

import torch
from torch import nn


class LabelSmoothing(nn.Module):
    """Cross entropy with smoothing and optional class weights."""

    def __init__(self, smoothing: float = 0.1, weight: Optional[torch.Tensor] = None):
        super().__init__()
        self.smoothing = smoothing
        self.register_buffer("weight", weight)

    def forward(self, logits, target):
        logp = logits.log_softmax(dim=-1)
        nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
        smooth = -logp.mean(dim=-1)
        loss = (1 - self.smoothing) * nll + self.smoothing * smooth
        if self.weight is not None:
            w = self.weight.expand_as(logp).gather(-1, target.unsqueeze(-1)).squeeze(-1)
            return (loss * w).sum() / w.sum()
        return loss.mean()


def build_criterion(name: str, counts) -> nn.Module:
    weight = 1.0 / torch.tensor(counts, dtype=torch.float32)
    weight = weight / weight.mean()
    if name == "smooth":
        return LabelSmoothing(0.1, weight)
    return nn.CrossEntropyLoss(weight=weight)
