import argparse
import math

import torch
from torch import nn

from contrast import MoCo


def make_encoder(dim):
    return nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, dim))


def augment(x, strength=0.2):
    keep = (torch.rand_like(x) > 0.1).float()
    return x * keep + strength * torch.randn_like(x)


def adjust_lr(optimizer, step, args):
    lr = 0.5 * args.lr * (1 + math.cos(math.pi * step / args.steps))
    for group in optimizer.param_groups:
        group["lr"] = lr
    return lr


parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=4)
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--lr", type=float, default=0.05)
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
moco = MoCo(make_encoder).to(device)
optimizer = torch.optim.SGD(moco.query.parameters(), lr=args.lr, momentum=0.9)
for step in range(args.steps):
    lr = adjust_lr(optimizer, step, args)
    x = torch.randn(args.batch_size, 10, device=device)
    loss = moco(augment(x), augment(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    moco.momentum_update()
    print(f"{step} lr {lr:.4f} loss {loss.item():.4f}")
