import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from losses import FocalLoss, mixup

logger = logging.getLogger(__name__)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda:0", help="where to train")
    parser.add_argument("--mixup", type=float, default=0.3)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--lr", type=float, default=1e-2)
    return parser.parse_args()


class AudioNet(nn.Module):
    def __init__(self, mels=20, classes=4):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(mels, 16, 3, padding=1), nn.BatchNorm1d(16), nn.ReLU())
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.conv(x).amax(-1))


def train(model, loader, criterion, optimizer, args):
    model.train()
    for x, y in loader:
        x, y = x.to(args.device), y.to(args.device)
        if args.mixup > 0:
            x, ya, yb, lam = mixup(x, y, args.mixup)
            out = model(x)
            loss = lam * criterion(out, ya) + (1 - lam) * criterion(out, yb)
        else:
            loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    args = parse_args()
    model = AudioNet().to(args.device)
    criterion = FocalLoss(class_weights=[1, 2, 1, 1]).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    ds = TensorDataset(torch.randn(16, 20, 10), torch.randint(0, 4, (16,)))
    for epoch in range(args.epochs):
        last = train(model, DataLoader(ds, batch_size=4, shuffle=True), criterion, optimizer, args)
        logger.info("%d %.3f", epoch, last)


if __name__ == "__main__":
    main()
