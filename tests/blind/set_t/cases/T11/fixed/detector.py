import torch
from torch import nn
import torch.nn.functional as F
from boxes import AnchorGrid, encode, iou


class Detector(nn.Module):
    def __init__(self, classes=3, sizes=(8.0, 16.0)):
        super().__init__()
        self.classes = classes
        self.per_cell = len(sizes)
        self.grid = AnchorGrid(4, sizes)
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU())
        self.cls = nn.Conv2d(16, self.per_cell * classes, 1)
        self.reg = nn.Conv2d(16, self.per_cell * 4, 1)

    def forward(self, images):
        f = self.body(images)
        b = len(f)
        cls = self.cls(f).permute(0, 2, 3, 1).reshape(b, -1, self.classes)
        reg = self.reg(f).permute(0, 2, 3, 1).reshape(b, -1, 4)
        return cls, reg, self.grid(*f.shape[-2:]).to(f.device)


def detection_loss(cls, reg, anchors, targets):
    total = cls.sum() * 0
    for c, r, (boxes, labels) in zip(cls, reg, targets):
        overlap, match = iou(anchors, boxes).max(1)
        positive = overlap > 0.3
        wanted = torch.zeros_like(c)
        wanted[positive, labels[match[positive]]] = 1
        total = total + F.binary_cross_entropy_with_logits(c, wanted)
        if positive.any():
            total = total + F.smooth_l1_loss(r[positive], encode(boxes[match], anchors)[positive])
    return total / len(targets)
