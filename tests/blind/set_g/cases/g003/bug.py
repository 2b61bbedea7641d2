import torch
from torch import nn
import torch.nn.functional as F

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class BoxHead(nn.Module):
    def __init__(self, feat=24, classes=5):
        super().__init__()
        self.cls = nn.Linear(feat, classes)
        self.reg = nn.Linear(feat, 4)

    def forward(self, feats):
        return self.cls(feats), self.reg(feats)


class DetectionLoss:
    """Classification on every proposal, regression on the matched ones."""

    def __init__(self, reg_weight=1.0):
        self.reg_weight = reg_weight

    def regression_terms(self, boxes, matches):
        terms = []
        for pred, target in zip(boxes, matches):
            if target is None:
                terms.append(torch.zeros(1))
                continue
            index, gt = target
            terms.append(F.smooth_l1_loss(pred[index], gt, reduction="sum").reshape(1))
        return terms

    def __call__(self, logits, boxes, labels, matches):
        cls_loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        reg_loss = torch.cat(self.regression_terms(boxes, matches)).mean()
        return cls_loss + self.reg_weight * reg_loss


def fake_batch(batch=3, proposals=6, feat=24):
    feats = torch.randn(batch, proposals, feat, device=device)
    labels = torch.randint(0, 5, (batch, proposals), device=device)
    matches = []
    for i in range(batch):
        if i == 1:
            matches.append(None)
        else:
            index = torch.tensor([0, 2], device=device)
            matches.append((index, torch.rand(2, 4, device=device)))
    return feats, labels, matches


head = BoxHead().to(device)
criterion = DetectionLoss(reg_weight=0.5)
optimizer = torch.optim.SGD(head.parameters(), lr=0.01, momentum=0.9)

for it in range(3):
    feats, labels, matches = fake_batch()
    logits, boxes = head(feats)
    loss = criterion(logits, boxes, labels, matches)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"iter {it} loss {loss.item():.3f}")
