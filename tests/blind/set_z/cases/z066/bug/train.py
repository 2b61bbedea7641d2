import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from metrics import ClassHistogram


class Runner:
    def __init__(self, model, args, device):
        self.model, self.args, self.device = model.to(device), args, device
        self.optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
        self.metric = ClassHistogram(num_classes=args.classes, device=device)

    def train(self, loader):
        self.model.train()
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(x), y).backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        self.metric.reset()
        for x, y in loader:
            self.metric.update(self.model(x.to(self.device)), y.to(self.device))
        return self.metric.compute()


def build_net(classes):
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, classes))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--classes", type=int, default=4)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.05)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ds = TensorDataset(torch.randn(32, 6), torch.arange(32) % args.classes)
    runner = Runner(build_net(args.classes), args, device)
    for epoch in range(args.epochs):
        runner.train(DataLoader(ds, 8, shuffle=True))
        print(epoch, runner.evaluate(DataLoader(ds, 16)))


if __name__ == "__main__":
    main()
