import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from engine import evaluate, train_one_epoch


def get_loaders(n, batch_size):
    x = torch.randn(n, 10)
    y = (x.sum(1) > 0).long()
    cut = int(0.75 * n)
    train = TensorDataset(x[:cut], y[:cut])
    val = TensorDataset(x[cut:], y[cut:])
    return (DataLoader(train, batch_size=batch_size, shuffle=True),
            DataLoader(val, batch_size=batch_size))


class EarlyStopping:
    def __init__(self, patience=3):
        self.patience, self.best, self.bad = patience, float("-inf"), 0

    def __call__(self, value):
        if value > self.best:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch-size", type=int, default=8)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    train_loader, val_loader = get_loaders(64, args.batch_size)
    stopper = EarlyStopping()
    for epoch in range(args.epochs):
        train_loss = train_one_epoch(model, train_loader, optimizer, criterion, device)
        result = evaluate(model, val_loader, device)
        print(f"epoch {epoch}: train {train_loss:.3f} val {result['metrics']}")
        if stopper(result["metrics"]["acc"]):
            break
    return result


if __name__ == "__main__":
    result = main()
