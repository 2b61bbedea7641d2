import torch
from torch import nn


class G(nn.Module):
    def __init__(self, z, out, n_cls):
        super().__init__()
        self.z = z
        self.label = nn.Embedding(n_cls, z)
        self.body = nn.Sequential(nn.Linear(z, 32), nn.LeakyReLU(0.2, inplace=True), nn.Linear(32, out), nn.Tanh())

    def sample_z(self, n):
        return torch.randn(n, self.z, device=self.label.weight.device)

    def forward(self, z, y):
        return self.body(z * self.label(y))


class D(nn.Module):
    def __init__(self, inp, n_cls):
        super().__init__()
        self.trunk = nn.Sequential(nn.utils.spectral_norm(nn.Linear(inp, 32)), nn.LeakyReLU(0.2, inplace=True))
        self.adv = nn.Linear(32, 1)
        self.aux = nn.Linear(32, n_cls)

    def forward(self, x):
        h = self.trunk(x)
        return self.adv(h).squeeze(1), self.aux(h)
