"""Fit a curve, keep the loss of every step, and report the mean per epoch."""

import torch
from torch import nn


def fit(steps: int = 500) -> list[float]:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.linspace(-3, 3, 256, device=device).unsqueeze(1)
    y = torch.sin(x) + 0.1 * torch.randn_like(x)

    model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    weights = torch.ones(256, 1)

    history = []
    total = 0.0
    for step in range(steps):
        optimizer.zero_grad()
        loss = (weights * (model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        history.append(loss)
        total += loss
        if step % 100 == 99:
            print(f"step {step}: mean loss {total / 100:.4f}")
            total = 0.0
    return [each.item() for each in history]


if __name__ == "__main__":
    fit()
