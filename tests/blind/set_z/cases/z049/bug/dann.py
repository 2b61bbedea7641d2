import torch
from torch import nn

from ops import GradientReversal


class DANN(nn.Module):
    def __init__(self, dim=8, hidden=12, classes=3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.label = nn.Linear(hidden, classes)
        self.reverse = GradientReversal()
        self.domain = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2))

    def forward(self, x):
        f = self.features(x)
        return self.label(f), self.domain(self.reverse(f))
