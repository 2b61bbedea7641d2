import argparse
from collections import defaultdict

import torch

from multitask import MultiTaskNet

TASKS = {"age": 1, "kind": 3, "mood": 4}


def fake_loader(steps, n=8):
    for _ in range(steps):
        yield torch.randn(n, 8), {"age": torch.rand(n), "kind": torch.randint(0, 3, (n,)),
                                  "mood": torch.randint(0, 4, (n,))}


def move(obj, device):
    if torch.is_tensor(obj):
        return obj.to(device)
    if isinstance(obj, dict):
        return {k: move(v, device) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(move(v, device) for v in obj)
    return obj


class History:
    def __init__(self):
        self.sums = defaultdict(float)
        self.steps = 0

    def add(self, parts):
        for k, v in parts.items():
            self.sums[k] += v
        self.steps += 1

    def means(self):
        return {k: round(float(v) / self.steps, 4) for k, v in self.sums.items()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--lr", type=float, default=1e-2)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = MultiTaskNet(TASKS).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        hist = History()
        for batch in fake_loader(3):
            x, y = move(batch, device)
            loss, parts = net.total_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            hist.add(parts)
        print(epoch, hist.means())


if __name__ == "__main__":
    main()
