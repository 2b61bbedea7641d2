import torch
import torch.nn as nn
import torch.nn.functional as F


def box_iou(a, b):
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(dim=2)
    return inter / (area(a)[:, None] + area(b)[None] - inter)


class DetectionLoss(nn.Module):
    def __init__(self, box_weight=0.1):
        super().__init__()
        self.box_weight = box_weight

    def forward(self, out, targets):
        total = out["logits"].new_zeros(())
        for logits, deltas, t in zip(out["logits"], out["deltas"], targets):
            iou = box_iou(out["anchors"], t["boxes"])
            match = iou.argmax(dim=0)
            total = total + F.cross_entropy(logits[match], t["labels"])
            goal = t["boxes"] - out["anchors"][match]
            total = total + self.box_weight * F.smooth_l1_loss(deltas[match], goal)
        return total / len(targets)
