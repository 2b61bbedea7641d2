import torch
import torch.nn as nn
import torch.nn.functional as F


def DiceLoss(logits, target, eps=1.0):
    """Function in spite of its capital: 1 - dice over the batch."""
    p = logits.softmax(1)[:, 1:]
    t = F.one_hot(target, logits.size(1)).movedim(-1, 1)[:, 1:].to(p.dtype)
    inter = (p * t).sum((0, 2, 3))
    return 1 - ((2 * inter + eps) / (p.sum((0, 2, 3)) + t.sum((0, 2, 3)) + eps)).mean()


class FocalLoss(nn.CrossEntropyLoss):
    def __init__(self, weight=None, gamma=2.0):
        super().__init__(weight, reduction="none")
        self.gamma = gamma

    def forward(self, logits, target):
        ce = super().forward(logits, target)
        return ((1 - torch.exp(-ce)) ** self.gamma * ce).mean()


def frequencies(masks, classes):
    count = torch.bincount(masks.flatten(), minlength=classes).float()
    return count.sum() / (classes * count.clamp_min(1))


class SegNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU())
        self.mask = nn.Conv2d(12, classes, 1)
        self.edge = nn.Conv2d(12, 1, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mask(h), self.edge(h)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    images = torch.rand(16, 1, 12, 12, device=device)
    masks = (images[:, 0] * 3).long().clamp(max=2)
    edges = (images > 0.8).float()

    weight = frequencies(masks, 3)
    criterion = nn.CrossEntropyLoss(weight, label_smoothing=0.05)
    edge_loss = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(4.0, device=device))
    focal = FocalLoss(weight)
    model = SegNet().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        for idx in torch.randperm(16).split(8):
            x, m, e = images[idx], masks[idx], edges[idx]
            logits, edge = model(x)
            loss = criterion(logits, m) + DiceLoss(logits, m) + edge_loss(edge, e)
            loss = loss + 0.5 * focal(logits, m) + nn.L1Loss()(edge.sigmoid(), e)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
