import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def get_loaders(batch_size):
    x = torch.randn(120, 8)
    y = (x[:, 0] * x[:, 1] > 0).long()
    train, val = random_split(TensorDataset(x, y), [96, 24])
    return DataLoader(train, batch_size, shuffle=True), DataLoader(val, batch_size)


def evaluate(model, loader, device):
    model.eval()
    torch.set_grad_enabled(False)
    correct = total = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        correct += (model(x).argmax(1) == y).sum().item()
        total += len(y)
    return correct / total


def train_one_epoch(model, loader, optimizer, criterion, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch-size", type=int, default=24)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()

    train_loader, val_loader = get_loaders(args.batch_size)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))
    model.to(args.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.CrossEntropyLoss()
    best = 0.0
    for epoch in range(args.epochs):
        train_one_epoch(model, train_loader, optimizer, criterion, args.device)
        accuracy = evaluate(model, val_loader, args.device)
        best = max(best, accuracy)
        print(f"epoch {epoch}: {accuracy:.3f} (best {best:.3f})")


if __name__ == "__main__":
    main()
