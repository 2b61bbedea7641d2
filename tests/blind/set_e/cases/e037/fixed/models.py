from torch import nn


def generator(z, d):
    return nn.Sequential(nn.Linear(z, 16), nn.ReLU(), nn.Linear(16, d), nn.Tanh())


def discriminator(d):
    return nn.Sequential(nn.Linear(d, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
