from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class CodecConfig:
    bands: int = 24
    latent: int = 6
    levels: int = 8
    lr: float = 2e-3
    steps: int = 5


class ScalarQuantizer(nn.Module):
    """Uniform quantisation of values in [-1, 1] to a fixed number of levels."""

    def __init__(self, levels):
        super().__init__()
        self.half = (levels - 1) / 2

    def forward(self, z):
        z = torch.tanh(z) * self.half
        q = z + (torch.round(z) - z).detach()
        return q / self.half

    def indices(self, q):
        return (q * self.half + self.half).round().long()


class Codec(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(cfg.bands, 32), nn.ELU(), nn.Linear(32, cfg.latent))
        self.quantizer = ScalarQuantizer(cfg.levels)
        self.decoder = nn.Sequential(nn.Linear(cfg.latent, 32), nn.ELU(), nn.Linear(32, cfg.bands))

    def forward(self, x):
        code = self.quantizer(self.encoder(x))
        return self.decoder(code), code


def envelope(n, bands, device):
    f = torch.linspace(0, 1, bands, device=device)
    peak = torch.rand(n, 1, device=device)
    return torch.exp(-((f - peak) ** 2) / 0.02) + 0.05 * torch.randn(n, bands, device=device)


cfg = CodecConfig()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
codec = Codec(cfg).to(device)
optimizer = torch.optim.Adam(codec.parameters(), lr=cfg.lr)
for step in range(cfg.steps):
    x = envelope(64, cfg.bands, device)
    recon, code = codec(x)
    loss = F.mse_loss(recon, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    used = codec.quantizer.indices(code.detach()).unique().numel()
    print(f"{step}: mse {loss.item():.4f}, levels in use {used}/{cfg.levels}")
