import argparse

import torch
from torch import nn

from rank import RankLoss


class Ranker(nn.Module):
    def __init__(self, n_features=6, hidden=12):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(n_features, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, docs):
        return self.mlp(docs).squeeze(-1)


def queries(n, docs=4):
    x = torch.randn(n, docs, 6)
    order = x.sum(-1).argsort(dim=1, descending=True).tolist()
    return x, order


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=5)
    ap.add_argument("--lr", type=float, default=0.1)
    args = ap.parse_args(argv)
    model, criterion = Ranker(), RankLoss()
    opt = torch.optim.SGD(model.parameters(), lr=args.lr)
    for step in range(args.steps):
        x, order = queries(5)
        loss = criterion(model(x), order)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    return model


if __name__ == "__main__":
    model = main()
