import torch
import torch.nn.functional as F
from torch import nn
from track import Track


class VAE(nn.Module):
    def __init__(self, d=20, z=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 16), nn.GELU(), nn.Linear(16, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, 16), nn.GELU(), nn.Linear(16, d))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def elbo_terms(model, x):
    recon, mu, logvar = model(x)
    rec = F.mse_loss(recon, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec, kl


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = VAE().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
log = Track()
for epoch in range(2):
    for _ in range(4):
        x = torch.rand(16, 20, device=device)
        rec, kl = elbo_terms(model, x)
        loss = rec + 0.1 * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.add(rec=rec.item(), kl=kl.item())
    print(epoch, log.line())
