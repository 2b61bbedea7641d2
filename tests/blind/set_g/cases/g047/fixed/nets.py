import torch.nn as nn


def generator(latent, width=16):
    return nn.Sequential(nn.Linear(latent, width), nn.LeakyReLU(0.2), nn.Linear(width, 2))


def discriminator(width=16):
    return nn.Sequential(nn.Linear(2, width), nn.LeakyReLU(0.2), nn.Linear(width, 1))
