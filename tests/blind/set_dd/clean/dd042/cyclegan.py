import torch
from torch import nn


def down(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 4, 2, 1), nn.InstanceNorm2d(o), nn.LeakyReLU(0.2))


def generator(c=8):
    return nn.Sequential(down(3, c), nn.ConvTranspose2d(c, 3, 4, 2, 1), nn.Tanh())


def discriminator(c=8):
    return nn.Sequential(down(3, c), nn.Conv2d(c, 1, 3, padding=1))
