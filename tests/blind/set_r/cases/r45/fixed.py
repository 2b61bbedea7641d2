"""Overlap losses for segmentation."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class DiceLoss(nn.Module):
    def __init__(self, n_class, smooth=1.0, ignore=None):
        super().__init__()
        self.n_class = n_class
        self.smooth = smooth
        self.ignore = ignore

    def one_hot(self, target):
        eye = torch.eye(self.n_class, device=target.device)
        return eye[target].permute(0, 3, 1, 2)

    def forward(self, scores, target):
        p = scores.softmax(dim=1)
        t = self.one_hot(target)
        if self.ignore is not None:
            keep = (target != self.ignore).unsqueeze(1)
            p, t = p * keep, t * keep
        inter = (p * t).sum(dim=(0, 2, 3))
        union = p.sum(dim=(0, 2, 3)) + t.sum(dim=(0, 2, 3))
        return 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()


class CombinedLoss(nn.Module):
    def __init__(self, n_class, dice_weight=0.5):
        super().__init__()
        self.dice = DiceLoss(n_class)
        self.dice_weight = dice_weight

    def forward(self, scores, target):
        ce = F.cross_entropy(scores, target)
        return (1 - self.dice_weight) * ce + self.dice_weight * self.dice(scores, target)


def training_loss(model, images, target, n_class):
    device = next(model.parameters()).device
    criterion = CombinedLoss(n_class).to(device)
    return criterion(model(images.to(device)), target.to(device))
