import torch
from torch import nn


class SqueezeExcite(nn.Module):
    def __init__(self, channels, ratio=4):
        super().__init__()
        mid = max(channels // ratio, 1)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, mid, 1), nn.ReLU(),
                                  nn.Conv2d(mid, channels, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.gate(x)


class SEResidual(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.i, self.o, self.stride = i, o, stride
        self.conv = nn.Conv2d(i, o, 3, stride, 1)
        self.norm = nn.GroupNorm(2, o)
        self.se = SqueezeExcite(o)

    def forward(self, x):
        y = self.se(self.norm(self.conv(x)).relu())
        if self.i != self.o or self.stride != 1:
            x = nn.Conv2d(self.i, self.o, 1, self.stride)(x)
        return x + y


class Tower(nn.Sequential):
    def __init__(self, widths):
        super().__init__(*(SEResidual(a, b) for a, b in zip(widths, widths[1:])))
