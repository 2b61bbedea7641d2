import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from objectives import get_objective

logger = logging.getLogger(__name__)


class LesionNet(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.GroupNorm(2, width), nn.ReLU(),
                                 nn.Conv2d(width, 1, 1))

    def forward(self, x):
        return self.net(x)


class Loop:
    def __init__(self, model, objective, lr, device):
        self.model, self.objective, self.device = model.to(device), objective, device
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def __call__(self, loader):
        self.model.train()
        total = 0.0
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            loss = self.objective(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(loader)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--loss", default="bce")
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ds = TensorDataset(torch.randn(8, 1, 8, 8), torch.randint(0, 2, (8, 1, 8, 8)).float())
    loop = Loop(LesionNet(), get_objective(args.loss), args.lr, device)
    for epoch in range(args.epochs):
        logger.info("%d %.4f", epoch, loop(DataLoader(ds, 4, shuffle=True)))


if __name__ == "__main__":
    main()
