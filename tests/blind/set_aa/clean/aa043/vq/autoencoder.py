import torch.nn as nn

from .quantize import EMACodebook


class VQAE(nn.Module):
    def __init__(self, inp=10, dim=4, codes=12):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(inp, 24), nn.ReLU(), nn.Linear(24, dim))
        self.vq = EMACodebook(codes, dim)
        self.dec = nn.Sequential(nn.Linear(dim, 24), nn.ReLU(), nn.Linear(24, inp))

    def forward(self, x):
        q, commit, ids = self.vq(self.enc(x))
        return self.dec(q), commit, ids
