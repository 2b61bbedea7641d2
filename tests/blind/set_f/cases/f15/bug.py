import argparse
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def inverse_frequency(labels, k):
    freq = Counter(labels.tolist())
    return torch.tensor([len(labels) / (k * max(1, freq[c])) for c in range(k)])


class Runner:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
        y = torch.cat([torch.zeros(24), torch.ones(6), torch.full((2,), 2.0)]).long()
        self.data = TensorDataset(torch.randn(32, 7), y)
        self.model = nn.Sequential(nn.Linear(7, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)).to(self.device)
        w = inverse_frequency(y, 3)
        self.criterion = nn.CrossEntropyLoss(weight=w)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr)

    def epoch(self):
        self.model.train()
        meter = [0.0, 0]
        for xb, yb in DataLoader(self.data, 8, shuffle=True):
            xb = xb.to(self.device)
            yb = yb.to(self.device)
            loss = self.criterion(self.model(xb), yb)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            meter[0] += loss.item() * len(xb)
            meter[1] += len(xb)
        return meter[0] / meter[1]


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--no-cuda", action="store_true")
    ap.add_argument("--lr", type=float, default=1e-2)
    ap.add_argument("--epochs", type=int, default=2)
    a = ap.parse_args()
    r = Runner(a)
    for e in range(a.epochs):
        print(e, round(r.epoch(), 4))
