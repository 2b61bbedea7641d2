import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.inp = nn.Linear(d, h)
        self.mid = nn.Linear(h, h)

    def forward(self, x):
        return self.mid(self.inp(x).relu()).relu()


class Transfer(nn.Module):
    def __init__(self, encoder, h, classes, tune=False):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(h, classes)
        if not tune:
            self.freeze()

    def freeze(self):
        self.encoder.requires_grad = False

    def forward(self, x):
        return self.head(self.encoder(x))
