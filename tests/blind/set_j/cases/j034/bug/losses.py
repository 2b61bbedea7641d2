import torch
import torch.nn.functional as F


def detection_losses(cls_logits, box_pred, cls_target, box_target):
    pos = cls_target > 0
    cls = F.cross_entropy(cls_logits, cls_target)
    n = pos.sum().clamp(min=1)
    box = F.smooth_l1_loss(box_pred[pos], box_target[pos], reduction="sum") / n
    return {"cls": cls, "box": box}


def combine(losses, weights):
    terms = [weights.get(k, 1.0) * v for k, v in losses.items()]
    return torch.tensor(terms, requires_grad=True).sum()
