import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, dim, latent):
        super().__init__()
        self.body = nn.Linear(dim, 64)
        self.mu, self.logvar = nn.Linear(64, latent), nn.Linear(64, latent)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return torch.cat([self.mu(h), self.logvar(h)], dim=-1)


class VAE(nn.Module):
    def __init__(self, dim=30, latent=4):
        super().__init__()
        self.encoder = Encoder(dim, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 64), nn.ReLU(), nn.Linear(64, dim))

    def encode(self, x):
        return self.encoder.forward(x).chunk(2, dim=-1)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.decoder(z), mu, logvar

    def elbo(self, x):
        recon, mu, logvar = self(x)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(dim=1).mean()
        return F.mse_loss(recon, x, reduction="sum") / len(x) + kl
