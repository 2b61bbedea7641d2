import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, z=6, d=10):
        super().__init__()
        self.z = z
        self.body = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d), nn.Tanh())

    def forward(self, n):
        noise = torch.randn(n, self.z, device=self.body[0].weight.device)
        return self.body(noise)


class Discriminator(nn.Module):
    def __init__(self, d=10):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 32), nn.LeakyReLU(0.2))
        self.score = nn.Linear(32, 1)

    def forward(self, x, features=False):
        h = self.body(x)
        return (self.score(h).squeeze(1), h) if features else self.score(h).squeeze(1)
