import torch
from torch import nn


def init_weights(net, gain=0.02):
    def init_func(m):
        if isinstance(m, nn.Linear):
            nn.init.normal_(m.weight, 0.0, gain)
            nn.init.zeros_(m.bias)
    net.apply(init_func)
    return net


class Generator(nn.Module):
    def __init__(self, z=8, out=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, out), nn.Tanh())

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)
