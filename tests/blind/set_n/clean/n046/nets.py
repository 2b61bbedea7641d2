import torch
from torch import nn


class Trunk(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)
        self.bn = nn.BatchNorm2d(width)

    def forward(self, x):
        return self.bn(self.conv(x)).relu().mean((2, 3))


class Classifier(nn.Module):
    def __init__(self, width, classes=5, freeze_trunk=False):
        super().__init__()
        self.trunk, self.fc = Trunk(width), nn.Linear(width, classes)
        self.freeze_trunk = freeze_trunk
        if freeze_trunk:
            self.trunk.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        if self.freeze_trunk:
            self.trunk.eval()
        return self

    def forward(self, x):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.freeze_trunk):
            f = self.trunk(x)
        return self.fc(f)
