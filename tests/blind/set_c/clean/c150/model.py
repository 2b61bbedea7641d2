import torch
from torch import nn


class SirenLayer(nn.Module):
    def __init__(self, i, o, w0=30.0, first=False):
        super().__init__()
        self.lin, self.w0 = nn.Linear(i, o), w0
        bound = 1 / i if first else (6 / i) ** 0.5 / w0
        with torch.no_grad():
            self.lin.weight.uniform_(-bound, bound)

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


class Siren(nn.Sequential):
    def __init__(self, hidden=16):
        super().__init__(SirenLayer(2, hidden, first=True), SirenLayer(hidden, hidden), nn.Linear(hidden, 1))
