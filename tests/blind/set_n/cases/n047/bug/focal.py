import torch
from torch import nn
from ops import class_balance, one_hot_map


class FocalLoss(nn.Module):
    def __init__(self, classes, gamma=2.0, beta=0.0, alpha=None):
        super().__init__()
        self.classes, self.gamma, self.beta = classes, gamma, beta
        self.register_buffer("alpha", alpha)

    def forward(self, logits, target):
        logp = logits.log_softmax(1).gather(1, target.unsqueeze(1)).squeeze(1)
        w = class_balance(self.classes, self.beta, self.alpha)
        w = w.view(1, -1, 1, 1).expand(len(logits), -1, *target.shape[1:])
        w = w.gather(1, target.unsqueeze(1)).squeeze(1)
        return -(w * (1 - logp.exp()) ** self.gamma * logp).mean()


class DiceFocal(nn.Module):
    def __init__(self, classes, mix=0.5, eps=1e-5):
        super().__init__()
        self.focal, self.mix, self.eps, self.classes = FocalLoss(classes), mix, eps, classes

    def forward(self, logits, target):
        p = logits.softmax(1)
        t = one_hot_map(target, self.classes)
        inter = (p * t).sum((2, 3))
        dice = 1 - (2 * inter + self.eps) / (p.sum((2, 3)) + t.sum((2, 3)) + self.eps)
        return self.mix * dice.mean() + (1 - self.mix) * self.focal(logits, target)
