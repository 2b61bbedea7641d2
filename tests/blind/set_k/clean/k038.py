import torch
import torch.nn as nn
import torch.nn.functional as F


def ste(fn):
    """Forward value of `fn`, gradient of the identity."""

    def wrapped(x):
        return x + (fn(x) - x).detach()

    return wrapped


hard_round = ste(torch.round)
hard_sign = ste(lambda t: torch.where(t >= 0, 1.0, -1.0))


class FSQ(nn.Module):
    """Finite scalar quantisation."""

    levels = 5

    def forward(self, z):
        half = (self.levels - 1) / 2
        code = hard_round(torch.tanh(z) * half)
        return code / half, (code.detach() + half).long()


class Codec(nn.Module):
    def __init__(self, dim=12, latent=3, binary=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, latent + binary))
        self.split = (latent, binary)
        self.fsq = FSQ()
        self.dec = nn.Sequential(nn.Linear(latent + binary, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        z, b = self.enc(x).split(self.split, dim=-1)
        z, index = self.fsq(z)
        return self.dec(torch.cat([z, hard_sign(b)], dim=-1)), index


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
codec = Codec().to(device)
optimizer = torch.optim.Adam(codec.parameters(), lr=2e-3)
basis = torch.randn(2, 12, device=device)
for step in range(10):
    x = torch.randn(32, 2, device=device) @ basis
    y, index = codec(x)
    loss = F.mse_loss(y, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        used = torch.bincount(index.flatten(), minlength=FSQ.levels)
        psnr = torch.round(-10 * torch.log10(loss.detach()), decimals=2)
        print(step, used.tolist(), psnr.item())
