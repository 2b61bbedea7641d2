import math

import torch
import torch.nn as nn


def lr_range_test(model, optimizer, batches, lo=1e-5, hi=1.0):
    """Short sweep on the host; returns the rate with the steepest descent."""
    n = len(batches)
    history = []
    for i, (x, y) in enumerate(batches):
        lr = lo * math.exp(math.log(hi / lo) * i / max(n - 1, 1))
        for group in optimizer.param_groups:
            group["lr"] = lr
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        history.append((lr, loss.item()))
    drops = [(b[1] - a[1], b[0]) for a, b in zip(history, history[1:])]
    return min(drops)[1]


def synthetic(n, bs=16):
    out = []
    for _ in range(n):
        x = torch.randn(bs, 6)
        out.append((x, x.sum(1, keepdim=True).sin()))
    return out


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    lr = lr_range_test(model, optimizer, synthetic(6))
    model.to(device)
    for group in optimizer.param_groups:
        group["lr"] = lr

    for step, (x, y) in enumerate(synthetic(5)):
        x, y = x.to(device), y.to(device)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("lr", lr, "loss", loss.item())


main()
