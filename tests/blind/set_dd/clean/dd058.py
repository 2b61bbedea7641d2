"""VQ-VAE with EMA codebook and a finite-scalar variant."""
import torch
from torch import nn
import torch.nn.functional as F


class EMAQuantizer(nn.Module):
    def __init__(self, n_codes=16, dim=8, decay=0.95, commit=0.25):
        super().__init__()
        codes = torch.randn(n_codes, dim)
        self.register_buffer("codes", codes)
        self.register_buffer("count", torch.ones(n_codes))
        self.register_buffer("total", codes.clone())
        self.decay, self.commit = decay, commit

    @torch.no_grad()
    def _update(self, flat, onehot):
        self.count.lerp_(onehot.sum(0), 1 - self.decay)
        self.total.lerp_(onehot.t() @ flat, 1 - self.decay)
        self.codes.copy_(self.total / self.count.clamp(min=1e-3).unsqueeze(1))

    def forward(self, z):
        flat = z.movedim(1, -1).reshape(-1, z.size(1))
        idx = torch.cdist(flat.detach(), self.codes).argmin(1)
        onehot = F.one_hot(idx, len(self.codes)).to(flat.dtype)
        q = self.codes[idx].view(z.size(0), *z.shape[2:], -1).movedim(-1, 1)
        if self.training:
            self._update(flat.detach(), onehot)
        loss = self.commit * F.mse_loss(z, q)
        return z + (q - z).detach(), loss


class FSQ(nn.Module):
    def __init__(self, levels=5):
        super().__init__()
        self.half = (levels - 1) / 2

    def forward(self, z):
        bounded = torch.tanh(z) * self.half
        hard = bounded.round()
        return (bounded + (hard - bounded).detach()) / self.half, z.new_zeros(())


class Autoencoder(nn.Module):
    def __init__(self, quantizer, dim=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, dim, 3, padding=1))
        self.quantizer = quantizer
        self.dec = nn.Sequential(nn.ConvTranspose2d(dim, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 1, 3, padding=1))

    def forward(self, x):
        q, extra = self.quantizer(self.enc(x))
        return self.dec(q), extra


def train(kind, steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Autoencoder({"ema": EMAQuantizer, "fsq": FSQ}[kind]()).to(device).train()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        x = torch.rand(4, 1, 8, 8, device=device)
        out, extra = model(x)
        loss = F.mse_loss(out, x) + extra
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


for kind in ("ema", "fsq"):
    print(kind, train(kind))
