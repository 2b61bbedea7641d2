import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def mixup(x, y, alpha):
    if alpha <= 0:
        return x, y, y, 1.0
    lam = float(np.random.beta(alpha, alpha))
    perm = torch.randperm(x.size(0)).cuda()
    mixed = lam * x + (1 - lam) * x[perm]
    return mixed, y, y[perm], lam


class ConvNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


def train_epoch(model, loader, optimizer, args):
    model.train()
    running = 0.0
    for x, y in loader:
        x, y = x.to(args.device), y.to(args.device)
        x, ya, yb, lam = mixup(x, y, args.mixup)
        logits = model(x)
        loss = lam * F.cross_entropy(logits, ya) + (1 - lam) * F.cross_entropy(logits, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() * x.size(0)
    return running / len(loader.dataset)


@torch.no_grad()
def accuracy(model, loader, args):
    model.eval()
    right = 0
    for x, y in loader:
        pred = model(x.to(args.device)).argmax(1).cpu()
        right += (pred == y).sum().item()
    return right / len(loader.dataset)


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    p.add_argument("--mixup", type=float, default=0.2)
    p.add_argument("--epochs", type=int, default=1)
    return p.parse_args()


if __name__ == "__main__":
    args = get_args()
    data = TensorDataset(torch.randn(32, 1, 12, 12), torch.randint(0, 3, (32,)))
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model = ConvNet(3).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for epoch in range(args.epochs):
        loss = train_epoch(model, loader, optimizer, args)
        print(epoch, loss, accuracy(model, loader, args))
