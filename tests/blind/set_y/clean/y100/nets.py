import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Generator(nn.Module):
    def __init__(self, z_dim, out=12):
        super().__init__()
        self.mapping = nn.Sequential(nn.Linear(z_dim, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 16))
        self.synthesis = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2, inplace=True), nn.Linear(32, out))
        self.register_buffer("w_avg", torch.zeros(16))

    def forward(self, z):
        w = self.mapping(z)
        if self.training:
            with torch.no_grad():
                self.w_avg.lerp_(w.mean(0), 0.01)
        return checkpoint(self.synthesis, w, use_reentrant=False)


class Discriminator(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.Softplus(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)
