import torch
from torch import nn

from quantize import QUANTIZERS


class Codec(nn.Module):
    def __init__(self, dim=12, code=4, quantizer="uniform", **kwargs):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 16), nn.ELU(), nn.Linear(16, code))
        self.quantizer = QUANTIZERS[quantizer](**kwargs)
        self.decoder = nn.Sequential(nn.Linear(code, 16), nn.ELU(), nn.Linear(16, dim))

    def encode(self, x):
        return self.quantizer(self.encoder(x))

    def forward(self, x):
        return self.decoder(self.encode(x))
