from torch import nn


class Embed(nn.Module):
    def __init__(self, d=16, out=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 24), nn.LeakyReLU(), nn.Linear(24, out))

    def forward(self, x):
        return self.body(x)
