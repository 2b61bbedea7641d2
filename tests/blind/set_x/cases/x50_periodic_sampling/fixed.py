"""VAE that draws samples during training."""
import torch
from torch import nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, inputs=16, latent=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(inputs, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2))
        self.mu, self.logvar = nn.Linear(32, latent), nn.Linear(32, latent)
        self.dec = nn.Sequential(nn.Linear(latent, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, inputs))
        self.latent = latent

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar

    @torch.no_grad()
    def sample(self, n):
        self.eval()
        z = torch.randn(n, self.latent, device=self.mu.weight.device)
        images = self.dec(z).sigmoid()
        self.train()
        return images


def elbo(recon, x, mu, logvar):
    bce = F.binary_cross_entropy_with_logits(recon, x, reduction="sum")
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
    return (bce + kl) / x.size(0)


class VAETrainer:
    def __init__(self, model, sample_every=3):
        self.model = model
        self.sample_every = sample_every
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.gallery, self.modes = [], []

    def fit(self, batches):
        self.model.train()
        for step, x in enumerate(batches):
            loss = elbo(*self._forward(x))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % self.sample_every == 0:
                self.gallery.append(self.model.sample(4))

    def _forward(self, x):
        self.modes.append(self.model.training)
        recon, mu, logvar = self.model(x)
        return recon, x, mu, logvar


trainer = VAETrainer(VAE())
trainer.fit(torch.rand(12, 16) for _ in range(7))
print(len(trainer.gallery))
