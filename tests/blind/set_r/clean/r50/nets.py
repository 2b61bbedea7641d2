import torch.nn as nn


def generator(n_noise, n_out):
    return nn.Sequential(nn.Linear(n_noise, 32), nn.ReLU(), nn.Linear(32, n_out))


def critic(n_in):
    return nn.Sequential(nn.Linear(n_in, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
