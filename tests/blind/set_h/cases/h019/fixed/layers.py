import torch
from torch import nn
import torch.nn.functional as F


class RadialBasis(nn.Module):
    """Gaussians at every unit of distance up to the cutoff."""

    def __init__(self, cutoff, trainable=False):
        super().__init__()
        centers = torch.arange(0, cutoff + 1, dtype=torch.float32)
        self.size = len(centers)
        self.gamma = 2.0
        if trainable:
            self.centers = nn.Parameter(centers)
        else:
            self.register_buffer("centers", centers)

    def forward(self, d):
        return torch.exp(-self.gamma * (d.unsqueeze(-1) - self.centers) ** 2)


class Interaction(nn.Module):
    def __init__(self, width, n_rbf):
        super().__init__()
        self.filter = nn.Sequential(nn.Linear(n_rbf, width), nn.Softplus(), nn.Linear(width, width))
        self.inp = nn.Linear(width, width, bias=False)
        self.out = nn.Sequential(nn.Linear(width, width), nn.Softplus(), nn.Linear(width, width))

    def forward(self, h, rbf):
        messages = self.inp(h).unsqueeze(1) * self.filter(rbf)
        return h + self.out(messages.sum(2))
