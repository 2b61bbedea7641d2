import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from criterion import build_criterion

logger = logging.getLogger("ohem")


class LeNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.conv2 = nn.Conv2d(4, 8, 3)
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        x = torch.max_pool2d(self.conv1(x).relu(), 2)
        x = self.conv2(x).relu()
        return self.fc(x.mean((2, 3)))


class Solver:
    def __init__(self, model, criterion, args):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.criterion = criterion.to(self.device)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
        self.args = args

    def train(self, loader):
        self.model.train()
        for i, (x, y) in enumerate(loader):
            x, y = x.to(self.device), y.to(self.device)
            loss = self.criterion(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if i % self.args.print_freq == 0:
                logger.info("iter %d loss %.4f", i, loss.item())


def balanced_sampler(labels):
    weight = 1.0 / torch.bincount(labels, minlength=4).clamp(min=1).float()
    return WeightedRandomSampler(weight[labels], len(labels))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--hard-mining", action="store_true")
    p.add_argument("--keep", type=float, default=0.5)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--print-freq", type=int, default=2)
    args = p.parse_args()
    x, y = torch.randn(24, 1, 10, 10), torch.randint(0, 4, (24,))
    loader = DataLoader(TensorDataset(x, y), 8, sampler=balanced_sampler(y))
    options = {"keep": args.keep} if args.hard_mining else {}
    Solver(LeNet(), build_criterion(args.hard_mining, **options), args).train(loader)


if __name__ == "__main__":
    main()
