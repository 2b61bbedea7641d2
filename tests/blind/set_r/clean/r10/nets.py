import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, n_in, n_latent):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, 24), nn.ELU())
        self.mu = nn.Linear(24, n_latent)
        self.logvar = nn.Linear(24, n_latent)

    def forward(self, x):
        h = self.body(x)
        return self.mu(h), self.logvar(h)


class Decoder(nn.Sequential):
    def __init__(self, n_latent, n_out):
        super().__init__(nn.Linear(n_latent, 24), nn.ELU(), nn.Linear(24, n_out))


def kl(mu, logvar):
    return 0.5 * (mu.pow(2) + logvar.exp() - logvar - 1).sum(dim=1).mean()


def sample(mu, logvar):
    return mu + torch.randn_like(mu) * (0.5 * logvar).exp()
