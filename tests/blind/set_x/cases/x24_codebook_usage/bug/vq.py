"""Vector quantiser with EMA codebook updates."""
import torch
from torch import nn
import torch.nn.functional as F


class EMABase(nn.Module):
    """State shared by the quantisers."""

    def __init__(self, size: int, dim: int, decay: float):
        super().__init__()
        self.decay = decay
        codes = torch.randn(size, dim)
        self.register_buffer("codebook", codes)
        self.register_buffer("sums", codes.clone())
        self.counts = torch.ones(size)

    def _ema(self, old, new):
        return old * self.decay + new * (1 - self.decay)


class VectorQuantizer(EMABase):
    def __init__(self, size=16, dim=4, decay=0.9, beta=0.25):
        super().__init__(size, dim, decay)
        self.beta = beta

    def assign(self, flat):
        return torch.cdist(flat, self.codebook).argmin(dim=1)

    @torch.no_grad()
    def refresh(self, flat, ids):
        one_hot = F.one_hot(ids, self.codebook.size(0)).to(flat.dtype)
        self.counts = self._ema(self.counts, one_hot.sum(dim=0))
        self.sums = self._ema(self.sums, one_hot.t() @ flat)
        self.codebook.copy_(self.sums / self.counts.clamp(min=1e-3).unsqueeze(1))

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        ids = self.assign(flat.detach())
        q = self.codebook[ids].view_as(z)
        if self.training:
            self.refresh(flat.detach(), ids)
        commit = self.beta * F.mse_loss(z, q)
        return z + (q - z).detach(), commit
