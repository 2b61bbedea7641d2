import torch
from torch import nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, d=20, z=4):
        super().__init__()
        self.enc = nn.Linear(d, 2 * z)
        self.dec = nn.Linear(z, d)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, dim=-1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def elbo(recon, x, mu, logvar):
    rec = F.mse_loss(recon, x, reduction="sum") / x.size(0)
    kld = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum() / x.size(0)
    return rec + kld, rec, kld


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = torch.rand(128, 20)
model = VAE().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
history = {"loss": []}

for epoch in range(3):
    running = 0.0
    batches = data.split(32)
    for x in batches:
        x = x.to(device)
        recon, mu, logvar = model(x)
        loss, rec, kld = elbo(recon, x, mu, logvar)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss
    history["loss"].append(running / len(batches))
    print(f"epoch {epoch} loss {history['loss'][-1]:.3f}")

print("best epoch", min(range(3), key=lambda i: float(history["loss"][i])))
