import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from ema import WeightAverager


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--no-cuda", action="store_true")
    args = ap.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    return args


def make_model():
    return nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 4))


def evaluate(model, loader, device):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            right += (model(x).argmax(1) == y).sum()
            total += y.numel()
    model.train()
    return right.item() / total


def main():
    args = get_args()
    data = TensorDataset(torch.randn(256, 20), torch.randint(0, 4, (256,)))
    loader = DataLoader(data, batch_size=32, shuffle=True)

    model = make_model()
    model.to(args.device)
    ema = WeightAverager(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        for x, y in loader:
            x, y = x.to(args.device), y.to(args.device)
            loss = criterion(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            ema.update()
        ema.apply()
        acc = evaluate(model, loader, args.device)
        ema.restore()
        print(f"epoch {epoch}: averaged accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
