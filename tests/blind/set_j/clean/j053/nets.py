import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, z, d):
        super().__init__()
        self.z = z
        self.main = nn.Sequential(nn.Linear(z, 32), nn.BatchNorm1d(32), nn.ReLU(True), nn.Linear(32, d), nn.Tanh())

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(d, 32), nn.LeakyReLU(0.2, inplace=True), nn.Linear(32, 1))

    def forward(self, x):
        return self.main(x).view(-1)
