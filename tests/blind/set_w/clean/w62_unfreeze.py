"""Gradual unfreezing: the head first, then one more stage at each epoch."""
import torch
from torch import nn
import torch.nn.functional as F


class Stage(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(nn.Linear(i, o), nn.BatchNorm1d(o), nn.ReLU())


class Tab(nn.Module):
    def __init__(self, d=14, h=20, stages=3, classes=2):
        super().__init__()
        dims = [d] + [h] * stages
        self.stages = nn.ModuleList(Stage(a, b) for a, b in zip(dims, dims[1:]))
        self.head = nn.Linear(h, classes)
        self.open = 0

    def unfreeze(self, n):
        self.open = n
        for i, s in enumerate(self.stages):
            s.requires_grad_(i >= len(self.stages) - n)
        return self.train(self.training)

    def train(self, mode=True):
        super().train(mode)
        for s in self.stages[: len(self.stages) - self.open]:
            s.eval()
        return self

    def forward(self, x):
        for s in self.stages:
            x = s(x)
        return self.head(x)


def optimiser(model, lr):
    groups = [{"params": model.head.parameters(), "lr": lr}]
    for depth, s in enumerate(reversed(model.stages)):
        ps = [p for p in s.parameters() if p.requires_grad]
        if ps:
            groups.append({"params": ps, "lr": lr * 0.5 ** (depth + 1)})
    return torch.optim.AdamW(groups)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        acc = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return acc


dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Tab().to(dev)
x = torch.randn(96, 14, device=dev)
y = (x[:, 0] > 0).long()
for epoch in range(4):
    model.unfreeze(epoch)
    opt = optimiser(model, 1e-2)
    for rows in torch.randperm(64, device=dev).split(32):
        opt.zero_grad()
        loss = F.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        opt.step()
    print(epoch, evaluate(model, x[64:], y[64:]))
