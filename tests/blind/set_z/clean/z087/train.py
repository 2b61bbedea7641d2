import argparse
import logging

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from ewc import EWC

logging.basicConfig(level=logging.INFO)
logger = logging.getLogger("continual")


def task(seed, n=24):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 6, generator=g)
    w = torch.randn(6, generator=g)
    return TensorDataset(x, (x @ w > 0).long())


@torch.no_grad()
def accuracy(model, ds, device):
    x, y = ds.tensors
    return (model(x.to(device)).argmax(1).cpu() == y).float().mean().item()


def learn(model, ewc, ds, args, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    model.train()
    for _ in range(args.epochs):
        for x, y in DataLoader(ds, 8, shuffle=True):
            loss = F.cross_entropy(model(x.to(device)), y.to(device)) + ewc.penalty()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ewc.consolidate(DataLoader(ds, 8), device)
    return loss.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tasks", type=int, default=2)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.05)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    ewc = EWC(model)
    done = []
    for t in range(args.tasks):
        done.append(task(t))
        last = learn(model, ewc, done[-1], args, device)
        logger.info("task %d loss %.3f acc %s", t, last, [round(accuracy(model, d, device), 2) for d in done])


if __name__ == "__main__":
    main()
