"""Robust regression with a learned mask; mixes host statistics with device tensors by index only."""
import torch
from torch import nn


def split(n, frac=0.25, seed=0):
    g = torch.Generator().manual_seed(seed)
    perm = torch.randperm(n, generator=g)
    cut = int(n * frac)
    return perm[cut:], perm[:cut]


def trimmed(losses, keep=0.8):
    k = max(1, int(keep * losses.numel()))
    return losses.sort().values[:k].mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(40, 3).to(device)
    y = x @ torch.tensor([1.0, -1.0, 0.5]).to(device)
    train, held = split(len(x))
    y[train[:3]] += 10
    model = nn.Linear(3, 1).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    order = torch.argsort(y.cpu())
    for _ in range(3):
        for part in train.split(10):
            pred = model(x[part]).squeeze(1)
            loss = trimmed((pred - y[part]).pow(2))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        err = (model(x[held]).squeeze(1) - y[held]).abs()
        far = err[err > err.mean()]
        print(err.mean().item(), far.numel(), y[order[0]].item() <= y[order[-1]].item())


if __name__ == "__main__":
    main()
