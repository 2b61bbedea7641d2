import torch
import torch.nn as nn
import torch.nn.functional as F

LOSSES = {}


def loss(cls):
    LOSSES[cls.__name__.lower()] = cls
    return cls


@loss
class Dice(nn.Module):
    def __init__(self, classes, smooth=1.0):
        super().__init__()
        self.classes, self.smooth = classes, smooth

    def forward(self, logits, target):
        pred = F.one_hot(logits.argmax(1), self.classes).movedim(-1, 1).float()
        truth = F.one_hot(target, self.classes).movedim(-1, 1).float()
        dims = (0, 2, 3)
        inter = (pred * truth).sum(dims)
        union = pred.sum(dims) + truth.sum(dims)
        return 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()


@loss
class CE(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.register_buffer("weight", torch.ones(classes))

    def forward(self, logits, target):
        return F.cross_entropy(logits, target, self.weight)
