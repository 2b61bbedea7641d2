import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


class G(nn.Module):
    def __init__(self, z=8, classes=3, c=8):
        super().__init__()
        self.emb = nn.Embedding(classes, z)
        self.fc = nn.Linear(2 * z, c * 16)
        self.up = nn.Sequential(nn.ConvTranspose2d(c, c, 4, 2, 1), nn.BatchNorm2d(c), nn.ReLU(), nn.Conv2d(c, 1, 3, padding=1), nn.Tanh())
        self.z, self.c = z, c

    def forward(self, z, y):
        h = self.fc(torch.cat([z, self.emb(y)], 1)).view(-1, self.c, 4, 4)
        return self.up(h)


class D(nn.Module):
    def __init__(self, classes=3, c=8):
        super().__init__()
        self.body = nn.Sequential(spectral_norm(nn.Conv2d(1, c, 4, 2, 1)), nn.LeakyReLU(0.1), spectral_norm(nn.Conv2d(c, 2 * c, 4, 2, 1)), nn.LeakyReLU(0.1))
        self.out = spectral_norm(nn.Linear(2 * c, 1))
        self.emb = nn.Embedding(classes, 2 * c)

    def forward(self, x, y):
        h = self.body(x).sum((2, 3))
        return self.out(h).squeeze(1) + (self.emb(y) * h).sum(1)
