from typing import Dict, List, Tuple

import torch
from torch import nn
import torch.nn.functional as F


def make_grid(h, w, stride):
    """Cell centres; host tensor, the caller moves it."""
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    return (torch.stack([xs, ys], -1).float() + 0.5) * stride


class CenterHead(nn.Module):
    def __init__(self, cin, size, stride, classes):
        super().__init__()
        self.cls, self.reg = nn.Conv2d(cin, classes, 1), nn.Conv2d(cin, 4, 1)
        self.register_buffer("grid", make_grid(size, size, stride).view(-1, 2), persistent=False)

    def forward(self, feats):
        cls = self.cls(feats).flatten(2).transpose(1, 2)
        reg = self.reg(feats).flatten(2).transpose(1, 2).exp()
        xy = self.grid
        boxes = torch.cat([xy - reg[..., :2], xy + reg[..., 2:]], dim=-1)
        return cls, boxes


class Detector(nn.Module):
    def __init__(self, classes=3, size=16, stride=4):
        super().__init__()
        self.back = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU())
        self.head = CenterHead(8, size // stride, stride, classes)

    def forward(self, x):
        return self.head(self.back(x))


def assign(grid, boxes, labels, classes) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Which cell is inside which box (the smallest wins)."""
    x, y = grid.unbind(-1)
    inside = ((x[:, None] > boxes[:, 0]) & (x[:, None] < boxes[:, 2])
              & (y[:, None] > boxes[:, 1]) & (y[:, None] < boxes[:, 3]))
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    cost = torch.where(inside, area.expand_as(inside), torch.tensor(float("inf")))
    best, which = cost.min(1)
    positive = torch.isfinite(best)
    target = grid.new_zeros(len(grid), classes)
    target[positive, labels[which[positive]]] = 1.0
    return target, boxes[which], positive


def detection_loss(head, cls, boxes, targets: List[Dict[str, torch.Tensor]]):
    total_cls, total_reg, count = cls.new_zeros(()), cls.new_zeros(()), 0
    for c, b, t in zip(cls, boxes, targets):
        want, box, pos = assign(head.grid, t["boxes"], t["labels"], c.size(-1))
        total_cls = total_cls + F.binary_cross_entropy_with_logits(c, want)
        if pos.any():
            total_reg = total_reg + F.l1_loss(b[pos], box[pos])
            count += 1
    return total_cls / len(targets) + total_reg / max(count, 1)
