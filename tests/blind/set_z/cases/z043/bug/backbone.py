from typing import List

import torch
from torch import nn


class Stem(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU())


class Bottleneck(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.bn = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(x + self.bn(self.conv(x)))


class ResBackbone(nn.Module):
    def __init__(self, width=6, depth=2, classes=4):
        super().__init__()
        self.stem = Stem(width)
        self.layers = nn.ModuleList(Bottleneck(width) for _ in range(depth))
        self.fc = nn.Linear(width, classes)

    @property
    def stages(self) -> List[nn.Module]:
        return [self.stem, *self.layers]

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.fc(x.mean((2, 3)))


def freeze_stages(model: ResBackbone, upto: int):
    """The first `upto` stages stay as they are."""
    for stage in model.stages[:upto]:
        stage.eval()
        for p in stage.parameters():
            p.require_grad = False
