import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Args:
    epochs: int = 4
    warmup: int = 1
    lr: float = 0.1
    batch_size: int = 32
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


def warmup_cosine(args):
    def factor(epoch):
        if epoch < args.warmup:
            return (epoch + 1) / (args.warmup + 1)
        t = (epoch - args.warmup) / max(1, args.epochs - args.warmup)
        return 0.5 * (1 + math.cos(math.pi * t))
    return factor


class Experiment:
    def __init__(self, args):
        self.args = args
        self.model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 4)).to(args.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, warmup_cosine(args))
        self.log = []

    def adjust(self, epoch):
        """Learning rate of this epoch."""
        self.schedule.step()
        lr = self.optimizer.param_groups[0]["lr"]
        self.log.append({"epoch": epoch, "lr": lr})
        return lr

    def train(self, loader):
        self.model.train()
        total = 0.0
        for x, y in loader:
            x, y = x.to(self.args.device), y.to(self.args.device)
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)

    def run(self, loader):
        for epoch in range(self.args.epochs):
            loss = self.train(loader)
            lr = self.adjust(epoch)
            print(f"epoch {epoch} lr {lr:.4f} loss {loss:.4f}")


if __name__ == "__main__":
    args = Args()
    X = torch.randn(128, 12)
    data = TensorDataset(X, X[:, :4].argmax(dim=1))
    Experiment(args).run(DataLoader(data, args.batch_size, shuffle=True))
