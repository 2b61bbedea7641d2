import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self, dim=20, latent=2):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.ReLU())
        self.mu, self.logvar = nn.Linear(32, latent), nn.Linear(32, latent)
        self.dec = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, dim))

    def encode(self, x):
        h = self.enc(x)
        return self.mu(h), self.logvar(h)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.dec(z), mu, logvar


class LatentScatter:
    """Collects two dimensional codes; the plot is drawn from `as_array`."""

    def __init__(self):
        self.points, self.colors = [], []

    def add(self, codes, labels):
        self.points.append(codes.cpu().numpy())
        self.colors.extend(labels.tolist())

    def as_array(self):
        return np.concatenate(self.points), np.asarray(self.colors)


def loss_function(recon, x, mu, logvar, beta=0.5):
    kld = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return F.mse_loss(recon, x, reduction="sum") / len(x) + beta * kld


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(64, 20), torch.randint(0, 10, (64,))), batch_size=16)
vae = VAE().to(device)
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
for epoch in range(3):
    scatter = LatentScatter()
    vae.train()
    for x, label in loader:
        x = x.to(device)
        recon, mu, logvar = vae(x)
        loss = loss_function(recon, x, mu, logvar)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scatter.add(mu, label)
    codes, colors = scatter.as_array()
    print(epoch, codes.std(axis=0), np.unique(colors).size, loss.item())
