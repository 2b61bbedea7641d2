import torch
from torch import nn


class TinySeg(nn.Module):
    def __init__(self, n_classes, c=6):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.ReLU())
        self.low = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(c, 2 * c, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.heads = nn.ModuleList([nn.Conv2d(c, n_classes, 1), nn.Conv2d(2 * c, n_classes, 1)])

    def forward(self, x):
        hi = self.stem(x)
        lo = self.low(hi)
        return self.heads[0](hi + self.up(lo)), self.heads[1](lo)
