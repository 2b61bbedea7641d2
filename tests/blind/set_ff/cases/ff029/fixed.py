import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build_model(features, width=32, p=0.3):
    return nn.Sequential(
        nn.Linear(features, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(p),
        nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(p),
        nn.Linear(width, 1),
    )


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, math.inf, 0

    def __call__(self, value):
        if value < self.best - 1e-4:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


class Regressor:
    def __init__(self, features, lr=1e-2):
        self.net = build_model(features)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.criterion = nn.SmoothL1Loss()

    @torch.no_grad()
    def evaluate(self, loader):
        self.net.eval()
        total, n = 0.0, 0
        for x, y in loader:
            total += self.criterion(self.net(x), y).item() * len(x)
            n += len(x)
        return total / n

    def _pass(self, loader):
        for x, y in loader:
            self.opt.zero_grad()
            loss = self.criterion(self.net(x), y)
            loss.backward()
            self.opt.step()

    def fit(self, train, valid, epochs, patience=3):
        stop = EarlyStopping(patience)
        for epoch in range(epochs):
            self.net.train()
            self._pass(train)
            score = self.evaluate(valid)
            print(f"{epoch:02d} {score:.4f}")
            if stop(score):
                break
        return stop.best


def main():
    torch.manual_seed(0)
    x = torch.randn(96, 6)
    y = (x[:, :1] * 2 - x[:, 1:2]).tanh()
    train = DataLoader(TensorDataset(x[:64], y[:64]), 16, shuffle=True)
    valid = DataLoader(TensorDataset(x[64:], y[64:]), 32)
    print(Regressor(6).fit(train, valid, epochs=4))


if __name__ == "__main__":
    main()
