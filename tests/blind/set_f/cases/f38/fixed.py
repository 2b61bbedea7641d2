import random
from types import SimpleNamespace

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

GRAPHS = []


class Forecaster(nn.Module):
    def __init__(self, lags=6, hidden=16):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h, _ = self.rnn(x.unsqueeze(-1))
        y = self.out(self.drop(h[:, -1])).squeeze(-1)
        GRAPHS.append(y.requires_grad)
        return y


def windows(n, lags):
    t = torch.arange(n + lags) * 0.3
    s = t.sin() + 0.05 * torch.randn_like(t)
    w = s.unfold(0, lags + 1, 1)
    return TensorDataset(w[:, :-1], w[:, -1])


def train_one_epoch(model, loader, criterion, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


@torch.no_grad()
def validate(model, loader, criterion):
    model.eval()
    total, count = 0.0, 0
    for x, y in loader:
        prediction = model(x)
        total += criterion(prediction, y).item() * len(y)
        count += len(y)
    return total / count


def main(cfg):
    random.seed(cfg.seed)
    train, val = windows(40, cfg.lags), windows(16, cfg.lags)
    model = Forecaster(cfg.lags)
    criterion = nn.HuberLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    best = float("inf")
    for epoch in range(cfg.epochs):
        train_one_epoch(model, DataLoader(train, 8, shuffle=True), criterion, optimizer)
        score = validate(model, DataLoader(val, 8), criterion)
        best = min(best, score)
        print(f"[{epoch}] val {score:.4f} best {best:.4f}")


if __name__ == "__main__":
    main(SimpleNamespace(seed=0, lags=6, lr=1e-2, epochs=2))
