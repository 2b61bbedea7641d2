import torch
import torch.nn as nn


def generator(z, out):
    return nn.Sequential(nn.Linear(z, 32), nn.LeakyReLU(0.2), nn.Linear(32, out), nn.Tanh())


def discriminator(inp):
    return nn.Sequential(nn.Linear(inp, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))


class NoiseSource:
    def __init__(self, dim, device):
        self.dim, self.device = dim, device

    def __call__(self, n):
        return torch.randn(n, self.dim, device=self.device)
