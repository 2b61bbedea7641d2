import torch
from torch import nn

from base import HasDevice


class Houlsby(nn.Module):
    def __init__(self, d, r=4):
        super().__init__()
        self.down, self.up = nn.Linear(d, r), nn.Linear(r, d)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x):
        return x + self.up(torch.relu(self.down(x)))


class PrefixBank(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.keys = nn.Parameter(torch.randn(n, d) * 0.02)
        self.values = nn.Parameter(torch.randn(n, d) * 0.02)

    def forward(self):
        return self.keys, self.values


class Adapted(HasDevice):
    def __init__(self, core, bank, adapter):
        super().__init__()
        self.core, self.bank, self.adapter = core, bank, adapter

    def forward(self, x, lengths):
        return self.adapter(self.core(x, lengths, self.bank()))


def adapt(core, bank, adapter):
    for p in core.parameters():
        p.requires_grad_(False)
    return Adapted(core, bank, adapter)
