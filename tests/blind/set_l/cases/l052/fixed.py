import torch
import torch.nn as nn
import torch.nn.functional as F


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, alpha=0.25, reduction="mean"):
        super().__init__()
        self.gamma, self.alpha, self.reduction = gamma, alpha, reduction

    def reduce(self, value):
        if self.reduction == "mean":
            return value.mean()
        if self.reduction == "sum":
            return value.sum()
        return value

    def forward(self, logits, target):
        bce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p = torch.sigmoid(logits)
        pt = p * target + (1 - p) * (1 - target)
        a = self.alpha * target + (1 - self.alpha) * (1 - target)
        return self.reduce(a * (1 - pt) ** self.gamma * bce)


class Fraud(nn.Module):
    def __init__(self, n_num, cards, dim=4):
        super().__init__()
        self.embeds = nn.ModuleList(nn.Embedding(c, dim) for c in cards)
        self.net = nn.Sequential(nn.Linear(n_num + dim * len(cards), 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, num, cat):
        e = [emb(c) for emb, c in zip(self.embeds, cat.unbind(1))]
        return self.net(torch.cat([num, *e], 1)).squeeze(1)


class WeightedBatches:
    def __init__(self, num, cat, y, size=16):
        self.num, self.cat, self.y, self.size = num, cat, y, size
        share = y.mean()
        self.w = torch.where(y > 0, 1 - share, share) + 1e-3

    def __iter__(self):
        for _ in range(len(self.y) // self.size):
            i = torch.multinomial(self.w, self.size, replacement=True)
            yield self.num[i], self.cat[i], self.y[i]


num, cat = torch.randn(80, 5), torch.randint(0, 6, (80, 2))
y = (num[:, 0] + (cat[:, 0] == 3) > 1).float()
model, criterion = Fraud(5, [6, 6]), FocalLoss()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(2):
    for bn, bc, by in WeightedBatches(num, cat, y):
        loss = criterion(model(bn, bc), by)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
