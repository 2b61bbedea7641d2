import torch
import torch.nn.functional as F
from torch import nn


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, alpha=0.25, reduction="mean"):
        super().__init__()
        self.gamma, self.alpha, self.reduction = gamma, alpha, reduction

    def forward(self, logits, target):
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p_t = torch.exp(-ce)
        alpha_t = self.alpha * target + (1 - self.alpha) * (1 - target)
        loss = alpha_t * (1 - p_t) ** self.gamma * ce
        if self.reduction == "mean":
            return loss.mean()
        if self.reduction == "sum":
            return loss.sum()
        return loss


class AnchorHead(nn.Module):
    def __init__(self, ch=8, anchors=3, classes=4):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, ch, 3, 2, 1), nn.ReLU())
        self.cls = nn.Conv2d(ch, anchors * classes, 1)
        self.classes = classes
        nn.init.constant_(self.cls.bias, -2.0)

    def forward(self, x):
        b = x.size(0)
        return self.cls(self.stem(x)).view(b, -1, self.classes)


def make_targets(shape, device, ignore=0.1):
    labels = torch.randint(0, shape[-1] + 1, shape[:2], device=device)
    onehot = F.one_hot(labels, shape[-1] + 1)[..., 1:].float()
    return onehot, torch.rand(shape[:2], device=device) > ignore


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
head = AnchorHead().to(device)
focal = FocalLoss(reduction="none")
optimizer = torch.optim.SGD(head.parameters(), lr=0.05, momentum=0.9)
for step in range(4):
    logits = head(torch.rand(2, 3, 16, 16, device=device))
    target, valid = make_targets(logits.shape, device)
    per_anchor = focal(logits, target).sum(-1) * valid
    positives = target.sum().clamp(min=1)
    loss = per_anchor.sum() / positives
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.sum().item(), int(positives.item()))
