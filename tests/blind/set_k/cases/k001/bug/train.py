import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from reporting import PredictionLog


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def main():
    args = parse()
    x = torch.randn(256, 12)
    y = (x[:, :3].sum(1) > 0).long()
    train = DataLoader(TensorDataset(x[:192], y[:192]), batch_size=32, shuffle=True)
    valid = DataLoader(TensorDataset(x[192:], y[192:]), batch_size=32)
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 2)).to(args.device)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        model.train()
        for xb, yb in train:
            xb, yb = xb.to(args.device), yb.to(args.device)
            opt.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            opt.step()
        model.eval()
        log = PredictionLog()
        with torch.no_grad():
            for xb, yb in valid:
                log.add(model(xb.to(args.device)), yb)
        print(f"epoch {epoch}: auc {log.auc():.3f}")


if __name__ == "__main__":
    main()
