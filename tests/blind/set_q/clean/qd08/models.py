import torch
import torch.nn as nn
import torch.nn.functional as F


class Generator(nn.Module):
    codes, noise = 3, 4

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 4))

    def latent(self, n, device):
        return torch.randn(n, self.noise, device=device), torch.randint(self.codes, (n,), device=device)

    def forward(self, z, c):
        return self.net(torch.cat([z, F.one_hot(c, self.codes).to(z.dtype)], 1))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2))
        self.score, self.q = nn.Linear(32, 1), nn.Linear(32, 3)

    def critic_parameters(self):
        yield from self.trunk.parameters()
        yield from self.score.parameters()

    def forward(self, x):
        return self.score(self.trunk(x))

    def code(self, x):
        return self.q(self.trunk(x))
