"""beta-VAE for 28x28 sketches."""
import math
from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, d_in=784, d_h=64, d_z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d_in, d_h), nn.ReLU())
        self.mu, self.logvar = nn.Linear(d_h, d_z), nn.Linear(d_h, d_z)
        self.dec = nn.Sequential(nn.Linear(d_z, d_h), nn.ReLU(), nn.Linear(d_h, d_in))

    def encode(self, x):
        h = self.enc(x)
        return self.mu(h), self.logvar(h)

    def reparameterize(self, mu, logvar):
        if not self.training:
            return mu
        return mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)

    def forward(self, x):
        mu, logvar = self.encode(x.flatten(1))
        z = self.reparameterize(mu, logvar)
        return self.dec(z), mu, logvar


class Trainer:
    def __init__(self, model, lr=1e-3, beta_max=4.0, warmup=100):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.beta_max, self.warmup = beta_max, warmup
        self.history = defaultdict(list)
        self.iteration = 0

    @property
    def beta(self):
        return self.beta_max * 0.5 * (1 - math.cos(math.pi * min(1.0, self.iteration / self.warmup)))

    def _losses(self, x):
        recon, mu, logvar = self.model(x)
        rec = F.binary_cross_entropy_with_logits(recon, x.flatten(1), reduction="none").sum(1).mean()
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        return rec, kl

    def log(self, **values):
        for k, v in values.items():
            self.history[k].append(v)

    def train_step(self, x):
        self.model.train()
        rec, kl = self._losses(x)
        loss = rec + self.beta * kl
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.iteration += 1
        self.log(rec=rec.item(), kl=kl.item(), beta=self.beta)

    def report(self, last=50):
        return {k: float(sum(v[-last:]) / len(v[-last:])) for k, v in self.history.items()}


def main(steps=30):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer = Trainer(VAE().to(device))
    for _ in range(steps):
        x = (torch.rand(16, 1, 28, 28) > 0.8).float().to(device)
        trainer.train_step(x)
    return trainer


if __name__ == "__main__":
    print(main().report())
