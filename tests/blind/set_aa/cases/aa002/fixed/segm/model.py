import torch
import torch.nn as nn
import torch.nn.functional as F


class UNetSmall(nn.Module):
    def __init__(self, classes=4, ch=8):
        super().__init__()
        self.enc1 = nn.Sequential(nn.Conv2d(1, ch, 3, padding=1), nn.BatchNorm2d(ch), nn.ReLU())
        self.enc2 = nn.Sequential(nn.Conv2d(ch, 2 * ch, 3, padding=1), nn.BatchNorm2d(2 * ch), nn.ReLU())
        self.out = nn.Conv2d(3 * ch, classes, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        b = F.interpolate(b, scale_factor=2)
        return self.out(torch.cat([a, b], dim=1))
