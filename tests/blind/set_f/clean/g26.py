"""Losses that place what they make where their inputs are."""
import torch
import torch.nn.functional as F
from torch import nn


def factory(like, dtype=None):
    return {"device": like.device, "dtype": dtype or like.dtype}


class LabelSmoothing(nn.Module):
    def __init__(self, classes, eps=0.1, ignore=-100):
        super().__init__()
        self.classes, self.eps, self.ignore = classes, eps, ignore

    def forward(self, logits, y):
        keep = y != self.ignore
        target = torch.full_like(logits, self.eps / (self.classes - 1))
        target.scatter_(1, y.clamp(min=0).unsqueeze(1), 1 - self.eps)
        nll = -(target * logits.log_softmax(-1)).sum(-1)
        return nll[keep].mean() if keep.any() else logits.sum() * 0.0


class Focal(nn.Module):
    def __init__(self, alpha=0.25, gamma=2.0):
        super().__init__()
        self.gamma = gamma
        self.register_buffer("alpha", torch.tensor([alpha, 1 - alpha]))

    def forward(self, logits, y):
        ce = F.binary_cross_entropy_with_logits(logits, y.float(), reduction="none")
        return (self.alpha[y.long()] * (1 - (-ce).exp()) ** self.gamma * ce).mean()


def dice(logits, y, smooth=1.0):
    smooth = torch.tensor(smooth)
    p = logits.sigmoid().flatten(1)
    y = y.flatten(1).to(p.dtype)
    return 1 - ((2 * (p * y).sum(1) + smooth) / (p.sum(1) + y.sum(1) + smooth)).mean()


def supervised_contrastive(z, y, temperature=0.1):
    z = F.normalize(z, dim=-1)
    sim = z @ z.T / temperature
    eye = torch.eye(len(z), **factory(z, torch.bool))
    same = (y[:, None] == y[None]) & ~eye
    log_p = sim - sim.masked_fill(eye, float("-inf")).logsumexp(-1, keepdim=True)
    per = torch.zeros(len(z), **factory(z))
    count = same.sum(1)
    has = count > 0
    per[has] = -(log_p * same).sum(1)[has] / count[has]
    return per.sum() / has.sum().clamp(min=1)
