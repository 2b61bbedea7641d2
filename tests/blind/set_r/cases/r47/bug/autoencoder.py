import torch
import torch.nn as nn


class AutoEncoder(nn.Module):
    def __init__(self, n_in, n_code, noise=0.1):
        super().__init__()
        self.noise = noise
        self.enc = nn.Sequential(nn.Linear(n_in, 32), nn.ReLU(), nn.Linear(32, n_code))
        self.dec = nn.Sequential(nn.Linear(n_code, 32), nn.ReLU(), nn.Linear(32, n_in))

    def forward(self, x):
        if self.training:
            x = x + self.noise * torch.randn_like(x)
        code = self.enc(x)
        return self.dec(code), code


def objective(model, x, sparsity=1e-3):
    rebuilt, code = model(x)
    rec = nn.SmoothL1Loss(rebuilt, x)
    return rec + sparsity * code.abs().mean(), rec
