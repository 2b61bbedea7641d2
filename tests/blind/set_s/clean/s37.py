import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class Regressor(nn.Module):
    def __init__(self, inp=6, hidden=32, p=0.2):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inp, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(p), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


@contextlib.contextmanager
def mc_dropout(model):
    """Everything in eval mode but the dropout layers; the old mode comes back afterwards."""
    before = model.training
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    try:
        yield model
    finally:
        model.train(before)


@torch.no_grad()
def uncertainty(model, x, samples=8):
    with mc_dropout(model):
        draws = torch.stack([model(x) for _ in range(samples)])
    return draws.mean(0), draws.std(0)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Regressor().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(128, 6, device=device)
    y = x.sum(-1) + 0.1 * torch.randn(128, device=device)
    held_out = torch.randn(16, 6, device=device)
    model.train()
    for epoch in range(3):
        for xb, yb in zip(x.split(32), y.split(32)):
            optimizer.zero_grad()
            loss = F.mse_loss(model(xb), yb)
            loss.backward()
            optimizer.step()
        mean, std = uncertainty(model, held_out)
        print(epoch, f"{loss.item():.3f} mean {mean.mean().item():.3f} spread {std.mean().item():.3f}")


if __name__ == "__main__":
    main()
