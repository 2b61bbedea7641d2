import argparse
import math

import torch
from torch import nn


class Forecaster(nn.Module):
    """Stateful GRU: consecutive windows of one long series share the state."""

    def __init__(self, hidden=24, layers=1):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.gru = nn.GRU(1, hidden, layers, batch_first=True)
        self.proj = nn.Linear(hidden, 1)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, window):
        if self.state is None:
            self.state = window.new_zeros(self.layers, window.size(0), self.hidden)
        out, state = self.gru(window, self.state)
        self.state = state.detach()
        return self.proj(out[:, -1]).squeeze(-1)


def windows(series, size):
    for start in range(0, series.size(1) - size, size):
        yield series[:, start:start + size].unsqueeze(-1), series[:, start + size]


def fit(model, series, args):
    opt = torch.optim.RMSprop(model.parameters(), lr=args.lr)
    loss_fn = nn.HuberLoss()
    for epoch in range(args.epochs):
        model.reset()
        seen, total = 0, 0.0
        for window, target in windows(series, args.window):
            opt.zero_grad()
            loss = loss_fn(model(window), target)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item()
            seen += 1
        print(f"epoch {epoch}: {total / seen:.4f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--window", type=int, default=20)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    phase = torch.rand(4, 1, device=device) * 2 * math.pi
    series = torch.sin(torch.arange(120, device=device) * 0.2 + phase)
    fit(Forecaster().to(device), series, args)
