import numpy as np
import torch
import torch.nn as nn


def pick_device():
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def make_series(n=400):
    t = np.linspace(0.0, 40.0, n)
    return np.sin(t) + 0.1 * np.random.default_rng(0).normal(size=n)


def windows(series, width):
    x = np.stack([series[i:i + width] for i in range(len(series) - width)])
    y = series[width:]
    return x, y


class Forecaster(nn.Module):
    def __init__(self, width, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


def main():
    device = pick_device()
    width = 16
    x, y = windows(make_series(), width)
    mean, std = x.mean(), x.std()
    x = torch.from_numpy((x - mean) / std).to(device).float()
    y = torch.from_numpy((y - mean) / std).to(device).float()
    model = Forecaster(width).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(5):
        perm = torch.randperm(len(x), device=device)
        for idx in perm.split(64):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x[idx]), y[idx])
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        err = (model(x) - y).abs().mean()
    print("mae", err.item() * std)


if __name__ == "__main__":
    main()
