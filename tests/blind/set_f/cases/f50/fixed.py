import json
from pathlib import Path

import numpy as np
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, d=9, z=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 12), nn.ELU(), nn.Linear(12, z))
        self.anchor = nn.Parameter(torch.zeros(z))

    def forward(self, x):
        return self.body(x) - self.anchor


class Plotter:
    def __init__(self, out):
        self.out = Path(out)
        self.frames = []

    def snapshot(self, points, tag):
        xy = points.detach().cpu().numpy()
        lo, hi = xy.min(0), xy.max(0)
        grid, *_ = np.histogram2d(xy[:, 0], xy[:, 1], bins=4)
        self.frames.append({"tag": tag, "lo": lo.tolist(), "hi": hi.tolist(), "grid": grid.tolist()})

    def flush(self):
        self.out.write_text(json.dumps(self.frames))


def train(epochs=2):
    model, plot = Encoder(), Plotter("latent.json")
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        x = torch.randn(20, 9)
        z = model(x)
        loss = (torch.cdist(z, z) - torch.cdist(x, x)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        plot.snapshot(z, f"epoch {epoch}")
    plot.flush()


if __name__ == "__main__":
    train()
