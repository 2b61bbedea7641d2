import argparse

import torch
from torch import nn

from objectives import OBJECTIVES, soft_f1


def make_net(d, h, k):
    return nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Dropout(0.2), nn.Linear(h, k))


def train(args):
    net = make_net(6, 16, 4)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for i in range(args.iters):
        x, y = torch.randn(16, 6), torch.randint(0, 4, (16,))
        loss = soft_f1(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % args.log_every == 0:
            print(i, loss.item())


if __name__ == "__main__":
    ap = argparse.ArgumentParser(epilog="objectives: " + ", ".join(OBJECTIVES))
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--iters", type=int, default=4)
    ap.add_argument("--log-every", type=int, default=2)
    train(ap.parse_args())
