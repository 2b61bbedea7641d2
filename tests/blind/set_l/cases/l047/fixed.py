import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Quantizer(nn.Module):
    def __init__(self, levels=8):
        super().__init__()
        self.levels = levels

    def forward(self, z):
        z = torch.sigmoid(z) * (self.levels - 1)
        q = z + (torch.round(z) - z).detach()
        return q / (self.levels - 1)


class Codec(nn.Module):
    def __init__(self, dim, code, quantizer):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, code))
        self.quantizer = quantizer
        self.decoder = nn.Sequential(nn.Linear(code, 32), nn.ReLU(), nn.Linear(32, dim))

    def compress(self, x):
        return self.quantizer(self.encoder(x))

    def forward(self, x):
        return self.decoder(self.compress(x))


QUANTIZERS = {"uniform": Quantizer, "none": nn.Identity}


def build(opts):
    kind = QUANTIZERS[opts.quantizer]
    return Codec(opts.dim, opts.code, kind() if kind is nn.Identity else kind(opts.levels))


def train(model, opts):
    optimizer = torch.optim.Adam(model.parameters(), lr=opts.lr)
    for i in range(opts.iters):
        basis = torch.randn(32, 3)
        x = torch.tanh(basis @ torch.ones(3, opts.dim))
        loss = F.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 5 == 0:
            print(i, loss.item())


ap = argparse.ArgumentParser()
ap.add_argument("--quantizer", choices=QUANTIZERS, default="uniform")
ap.add_argument("--levels", type=int, default=8)
ap.add_argument("--dim", type=int, default=12)
ap.add_argument("--code", type=int, default=4)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--iters", type=int, default=11)
opts = ap.parse_args()
model = build(opts)
train(model, opts)
