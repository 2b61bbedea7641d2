import torch
from torch import nn


class ConvMixer(nn.Module):
    def __init__(self, dim=8, classes=3):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, 4)
        self.mix = nn.Sequential(nn.Conv2d(dim, dim, 3, padding=1, groups=dim), nn.GELU(), nn.BatchNorm2d(dim))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch(x)
        x = self.mix(x) + x
        return self.head(x.mean((2, 3)))


def fingerprint(model):
    return [p.detach().flatten()[0].item() for p in model.parameters()]
