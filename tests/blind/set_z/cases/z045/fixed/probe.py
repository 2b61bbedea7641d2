import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from features import FeatureBank


class Encoder(nn.Module):
    def __init__(self, dim=12, out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.GELU(), nn.Linear(16, out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class LinearProbe:
    def __init__(self, dim, classes, lr, device):
        self.layer = nn.Linear(dim, classes).to(device)
        self.opt = torch.optim.LBFGS(self.layer.parameters(), lr=lr, max_iter=4)

    def fit(self, feats, labels):
        def closure():
            self.opt.zero_grad()
            loss = F.cross_entropy(self.layer(feats), labels)
            loss.backward()
            return loss
        return self.opt.step(closure).item()

    @torch.no_grad()
    def accuracy(self, feats, labels):
        return (self.layer(feats).argmax(1) == labels).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--lr", type=float, default=0.5)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    bank = FeatureBank(Encoder(), device)
    for split, n in (("train", 40), ("val", 16)):
        x = torch.randn(n, 12)
        bank.build(split, DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), 8))
    probe = LinearProbe(8, 2, args.lr, device)
    for epoch in range(args.epochs):
        feats, labels = bank["train"]
        print(epoch, probe.fit(feats, labels), probe.accuracy(*bank["val"]))


if __name__ == "__main__":
    main()
