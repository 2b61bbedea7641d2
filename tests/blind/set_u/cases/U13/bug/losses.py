import torch
import torch.nn.functional as F


def one_hot_map(labels, classes):
    return F.one_hot(labels, classes).permute(0, 3, 1, 2).float()


def soft_dice(pred, target, classes, smooth=1.0):
    """1 - mean Dice over classes; pred are label maps, target too."""
    p = one_hot_map(pred, classes)
    t = one_hot_map(target, classes)
    inter = (p * t).sum(dim=(2, 3))
    union = p.sum(dim=(2, 3)) + t.sum(dim=(2, 3))
    return 1 - ((2 * inter + smooth) / (union + smooth)).mean()


def pixel_accuracy(pred, target):
    return (pred == target).float().mean().item()
