import torch
import torch.nn as nn
import torch.nn.functional as F

from meters import MeterBank


class VAE(nn.Module):
    def __init__(self, d=16, z=3):
        super().__init__()
        self.enc = nn.Linear(d, 2 * z)
        self.dec = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


class VAETrainer:
    def __init__(self, model, beta=0.5):
        self.model, self.beta = model, beta
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.meters = MeterBank()

    def losses(self, x):
        recon, mu, logvar = self.model(x)
        rec = F.mse_loss(recon, x)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).mean()
        return rec + self.beta * kl, rec, kl

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            for x in loader:
                loss, rec, kl = self.losses(x)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.meters.update_all(len(x), loss=loss, rec=rec, kl=kl)
            print(epoch, self.meters)


trainer = VAETrainer(VAE())
trainer.fit([torch.randn(8, 16) for _ in range(6)], 2)
