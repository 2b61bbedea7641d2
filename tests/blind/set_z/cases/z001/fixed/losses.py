from typing import Callable, Dict

import torch
import torch.nn as nn
import torch.nn.functional as F

LOSSES: Dict[str, Callable[..., nn.Module]] = {}


def register(name):
    def wrap(cls):
        LOSSES[name] = cls
        return cls
    return wrap


def expand_labels(labels: torch.Tensor, num_classes: int, smooth: float = 0.0) -> torch.Tensor:
    """(B, H, W) integer labels -> (B, C, H, W) soft targets."""
    b, h, w = labels.shape
    onehot = torch.full((b, num_classes, h, w), smooth / num_classes, device=labels.device)
    return onehot.scatter_(1, labels.unsqueeze(1), 1.0 - smooth)


@register("ce")
class CrossEntropy(nn.Module):
    def __init__(self, num_classes, **kwargs):
        super().__init__()
        self.num_classes = num_classes

    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels)


@register("dice")
class DiceLoss(nn.Module):
    def __init__(self, num_classes, eps=1e-6, smooth=0.05, **kwargs):
        super().__init__()
        self.num_classes, self.eps, self.smooth = num_classes, eps, smooth

    def forward(self, logits, labels):
        probs = logits.softmax(dim=1)
        target = expand_labels(labels, self.num_classes, self.smooth)
        inter = (probs * target).sum((2, 3))
        union = probs.sum((2, 3)) + target.sum((2, 3))
        return 1 - ((2 * inter + self.eps) / (union + self.eps)).mean()


@register("mixed")
class MixedLoss(nn.Module):
    def __init__(self, num_classes, alpha=0.5, **kwargs):
        super().__init__()
        self.alpha = alpha
        self.parts = nn.ModuleList([CrossEntropy(num_classes), DiceLoss(num_classes)])

    def forward(self, logits, labels):
        ce, dice = (p(logits, labels) for p in self.parts)
        return self.alpha * ce + (1 - self.alpha) * dice


def build_loss(name, **kwargs):
    return LOSSES[name](**kwargs)
