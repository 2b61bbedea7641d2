import torch
from torch import nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, dim=20, latent=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.ELU(), nn.Linear(32, 2 * latent))
        self.dec = nn.Sequential(nn.Linear(latent, 32), nn.ELU(), nn.Linear(32, dim))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, dim=-1)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        return self.dec(z), mu, logvar

    def losses(self, x):
        recon, mu, logvar = self(x)
        rec = F.mse_loss(recon, x, reduction="none").sum(dim=1).mean()
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(dim=1).mean()
        return rec, kl
