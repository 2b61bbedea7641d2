import numpy as np
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, d=5, k=2):
        super().__init__()
        self.mean, self.logvar = nn.Linear(d, k), nn.Linear(d, k)

    def forward(self, x):
        return self.mean(x), self.logvar(x)


def tsne_points(encoder, batches, device):
    """Posterior means and spreads for plotting."""
    encoder.eval()
    points, spread = [], []
    for x in batches:
        mu, logvar = encoder(x.to(device))
        points.append(mu.to("cpu").numpy())
        spread.append(np.exp(0.5 * logvar.to("cpu").numpy()))
    return np.concatenate(points), np.concatenate(spread)


def grid(points, bins=20):
    hist, xe, ye = np.histogram2d(points[:, 0], points[:, 1], bins=bins)
    return hist / hist.max(), xe, ye


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pts, _ = tsne_points(Encoder().to(device), [torch.randn(8, 5) for _ in range(3)], device)
    print(grid(pts)[0].shape)
