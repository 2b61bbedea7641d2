import torch
from torch import nn


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class MiniUNet(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.down = block(3, ch)
        self.pool = nn.MaxPool2d(2)
        self.mid = block(ch, 2 * ch)
        self.up = nn.Upsample(scale_factor=2)
        self.out = nn.Conv2d(3 * ch, 1, 1)

    def forward(self, x):
        d = self.down(x)
        m = self.up(self.mid(self.pool(d)))
        return self.out(torch.cat([d, m], dim=1))
