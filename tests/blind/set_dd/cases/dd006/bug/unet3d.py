import torch
from torch import nn


def block(i, o):
    return nn.Sequential(nn.Conv3d(i, o, 3, padding=1), nn.InstanceNorm3d(o, affine=True), nn.LeakyReLU(0.01))


class UNet3D(nn.Module):
    def __init__(self, n_labels, width=4):
        super().__init__()
        self.enc = block(1, width)
        self.down = nn.Conv3d(width, 2 * width, 2, stride=2)
        self.mid = block(2 * width, 2 * width)
        self.up = nn.ConvTranspose3d(2 * width, width, 2, stride=2)
        self.dec = block(2 * width, width)
        self.out = nn.Conv3d(width, n_labels, 1)

    def forward(self, x):
        skip = self.enc(x)
        y = self.up(self.mid(self.down(skip)))
        return self.out(self.dec(torch.cat([skip, y], dim=1)))
