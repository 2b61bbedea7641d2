import torch
from torch import nn


class ConvNet(nn.Module):
    out_dim = 16

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.GroupNorm(4, 8), nn.ReLU())
        self.stage = nn.Sequential(nn.Conv2d(8, self.out_dim, 3, stride=2, padding=1), nn.ReLU())

    def forward(self, x):
        return self.stage(self.stem(x)).mean(dim=(2, 3))


def pretrained(seed=0):
    torch.manual_seed(seed)
    return ConvNet()
