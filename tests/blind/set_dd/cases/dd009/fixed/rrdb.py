import torch
from torch import nn


class ResidualDense(nn.Module):
    def __init__(self, c, growth=8):
        super().__init__()
        self.c1 = nn.Conv2d(c, growth, 3, padding=1)
        self.c2 = nn.Conv2d(c + growth, c, 3, padding=1)
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x):
        y = self.act(self.c1(x))
        return x + 0.2 * self.c2(torch.cat([x, y], 1))


def build(scale=2, width=12, depth=2):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1),
        *[ResidualDense(width) for _ in range(depth)],
        nn.Conv2d(width, 3 * scale ** 2, 3, padding=1),
        nn.PixelShuffle(scale),
    )
