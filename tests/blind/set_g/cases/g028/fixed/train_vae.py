import torch
import torch.nn as nn
import torch.nn.functional as F

from meters import AverageMeter


class VAE(nn.Module):
    def __init__(self, dim=32, latent=4):
        super().__init__()
        self.enc = nn.Linear(dim, 24)
        self.mu, self.logvar = nn.Linear(24, latent), nn.Linear(24, latent)
        self.dec = nn.Sequential(nn.Linear(latent, 24), nn.ReLU(), nn.Linear(24, dim))

    def forward(self, x):
        h = F.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def train_epoch(model, optimizer, device, meters, beta=0.5):
    model.train()
    for meter in meters.values():
        meter.reset()
    for _ in range(6):
        x = torch.rand(16, 32, device=device)
        recon, mu, logvar = model(x)
        rec = F.mse_loss(recon, x, reduction="sum") / len(x)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        loss = rec + beta * kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meters["rec"].update(rec.item(), len(x))
        meters["kl"].update(kl.item(), len(x))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
meters = {name: AverageMeter(name) for name in ("rec", "kl")}
for epoch in range(2):
    train_epoch(model, optimizer, device, meters)
    print(epoch, *meters.values())
