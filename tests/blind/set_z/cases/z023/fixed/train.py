import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from export import Exporter


class Forecaster(nn.Module):
    def __init__(self, window=12, horizon=3, hidden=16):
        super().__init__()
        self.trend = nn.Linear(window, horizon)
        self.season = nn.Sequential(nn.Linear(window, hidden), nn.ReLU(), nn.Linear(hidden, horizon))

    def forward(self, x):
        return self.trend(x) + self.season(x)


class Trainer:
    def __init__(self, model, device, lr=1e-3, hooks=()):
        self.device = device
        self.model = model.to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.criterion = nn.HuberLoss()
        self.hooks = list(hooks)

    def epoch(self, loader):
        self.model.train()
        total = 0.0
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)

    def fit(self, loader, epochs):
        for e in range(epochs):
            value = self.epoch(loader)
            logging.info("epoch %d: %.4f", e, value)
            for hook in self.hooks:
                hook(self.model, e)


def windows(series, w, h):
    xs = [series[i:i + w] for i in range(len(series) - w - h)]
    ys = [series[i + w:i + w + h] for i in range(len(series) - w - h)]
    return torch.stack(xs), torch.stack(ys)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()
    x, y = windows(torch.sin(torch.arange(60) / 4), 12, 3)
    loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer = Trainer(Forecaster(), device, args.lr, hooks=[Exporter(x[:1])])
    trainer.fit(loader, args.epochs)
