import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class CVAE(nn.Module):
    def __init__(self, d=12, z=2):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, 2 * z), nn.Linear(z, d)
        self.prior_scale = nn.Parameter(torch.ones(z))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + self.prior_scale * torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


@torch.no_grad()
def embed(model, batches):
    codes = []
    for x in batches:
        _, mu, _ = model(x)
        codes.append((mu * model.prior_scale).cpu().numpy())
    return np.concatenate(codes)


def spread(model):
    with torch.no_grad():
        return np.linalg.norm(model.prior_scale.cpu().numpy())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = CVAE().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
batches = [torch.randn(8, 12, device=device) for _ in range(3)]
for x in batches:
    recon, mu, logvar = model(x)
    loss = F.mse_loss(recon, x) + 1e-2 * (mu**2 + logvar.exp() - logvar - 1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(embed(model, batches).shape, spread(model), loss.item())
