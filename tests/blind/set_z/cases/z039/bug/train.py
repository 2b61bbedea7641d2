import argparse
import logging

import torch
from torch import nn
import torch.nn.functional as F

from pruning import MagnitudePruner


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.fc1, self.fc2 = nn.Linear(6 * 36, 20), nn.Linear(20, 4)

    def forward(self, x):
        x = self.conv(x).relu().flatten(1)
        return self.fc2(self.fc1(x).relu())


def run(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ConvNet().to(device)
    pruner = MagnitudePruner(model, args.prune, start_step=args.prune_after)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for step in range(args.steps):
        x = torch.randn(6, 1, 8, 8, device=device)
        y = torch.randint(0, 4, (6,), device=device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        pruner.after_step(step)
        logging.info("step %d loss %.3f sparsity %.2f", step, loss.item(), pruner.sparsity())


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--prune", type=float, default=0.0)
    p.add_argument("--prune-after", type=int, default=2)
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--lr", type=float, default=0.01)
    run(p.parse_args())
