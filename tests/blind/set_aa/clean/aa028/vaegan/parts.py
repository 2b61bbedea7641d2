import torch
import torch.nn as nn


class Enc(nn.Module):
    def __init__(self, inp, z):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inp, 32), nn.ReLU())
        self.mu, self.logvar = nn.Linear(32, z), nn.Linear(32, z)

    def forward(self, x):
        h = self.net(x)
        mu, logvar = self.mu(h), self.logvar(h)
        return mu + torch.randn_like(mu) * (0.5 * logvar).exp(), mu, logvar


class Dec(nn.Sequential):
    def __init__(self, z, out):
        super().__init__(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, out))


class Disc(nn.Module):
    def __init__(self, inp):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(inp, 32), nn.LeakyReLU(0.2))
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        f = self.feat(x)
        return self.out(f), f
