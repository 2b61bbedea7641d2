import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, z=8, out=2, h=32):
        super().__init__()
        self.z = z
        self.body = nn.Sequential(nn.Linear(z, h), nn.ReLU(inplace=True), nn.Linear(h, out))

    def forward(self, noise):
        return self.body(noise)


class Critic(nn.Module):
    def __init__(self, inp=2, h=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inp, h), nn.LeakyReLU(0.2), nn.Linear(h, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)
