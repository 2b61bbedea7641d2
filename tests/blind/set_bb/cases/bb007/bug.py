import torch
import torch.nn as nn
import torch.nn.functional as F
from dataclasses import dataclass, field


@dataclass
class Config:
    x_dim: int = 20
    h_dim: int = 32
    z_dim: int = 3
    seed: int = 7
    beta: float = 0.5
    epochs: int = 2
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class Noise:
    """All the randomness of the latent space goes through here, so runs can be repeated."""

    def __init__(self, cfg):
        self.seed = cfg.seed
        self.device = cfg.device
        self.reset()

    def reset(self):
        self.rng = torch.Generator()
        self.rng.manual_seed(self.seed)

    def like(self, t):
        return torch.randn(t.shape, dtype=t.dtype, device=t.device, generator=self.rng)

    def prior(self, n, dim):
        return self.like(torch.empty(n, dim, device=self.device))


class VAE(nn.Module):
    def __init__(self, cfg, noise):
        super().__init__()
        self.noise = noise
        self.enc = nn.Linear(cfg.x_dim, cfg.h_dim)
        self.mu = nn.Linear(cfg.h_dim, cfg.z_dim)
        self.logvar = nn.Linear(cfg.h_dim, cfg.z_dim)
        self.dec = nn.Sequential(nn.Linear(cfg.z_dim, cfg.h_dim), nn.ReLU(), nn.Linear(cfg.h_dim, cfg.x_dim))

    def reparameterise(self, mu, logvar):
        return mu + self.noise.like(mu) * torch.exp(0.5 * logvar)

    def forward(self, x):
        h = F.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        return self.dec(self.reparameterise(mu, logvar)), mu, logvar


def elbo(out, x, beta):
    recon, mu, logvar = out
    bce = F.binary_cross_entropy_with_logits(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + beta * kld) / x.size(0)


def main(cfg=Config()):
    noise = Noise(cfg)
    model = VAE(cfg, noise).to(cfg.device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = (torch.rand(64, cfg.x_dim) > 0.5).float()
    for epoch in range(cfg.epochs):
        noise.reset()
        for chunk in data.split(16):
            x = chunk.to(cfg.device)
            loss = elbo(model(x), x, cfg.beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        print(model.dec(noise.prior(2, cfg.z_dim)).sigmoid().mean().item())


main()
