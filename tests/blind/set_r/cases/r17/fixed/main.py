import argparse
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from export import save_portable


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def train_epoch(model, loader, criterion, optimizer, device):
    model.train()
    total = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    args = get_args()
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.CrossEntropyLoss()
    data = TensorDataset(torch.randn(60, 8), torch.randint(0, 3, (60,)))
    loader = DataLoader(data, batch_size=20, shuffle=True)
    out = tempfile.mkdtemp()
    for epoch in range(args.epochs):
        loss = train_epoch(model, loader, criterion, optimizer, args.device)
        save_portable(model, os.path.join(out, f"epoch{epoch}.pt"))
        print(epoch, loss)


if __name__ == "__main__":
    main()
