import torch
import torch.nn as nn
import torch.nn.functional as F


class EMAQuantizer(nn.Module):
    def __init__(self, k, d, decay=0.95, beta=0.25):
        super().__init__()
        self.decay, self.beta = decay, beta
        embed = torch.randn(k, d)
        self.register_buffer("embed", embed)
        self.register_buffer("size", torch.ones(k))
        self.register_buffer("avg", embed.clone())

    @torch.no_grad()
    def _refresh(self, z, idx):
        hot = F.one_hot(idx, self.embed.size(0)).to(z.dtype)
        self.size.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.avg.mul_(self.decay).add_(hot.t() @ z, alpha=1 - self.decay)
        n = self.size.sum()
        size = (self.size + 1e-5) / (n + self.embed.size(0) * 1e-5) * n
        self.embed.copy_(self.avg / size[:, None])

    def forward(self, z):
        idx = torch.cdist(z.detach(), self.embed).argmin(1)
        q = self.embed[idx]
        if self.training:
            self._refresh(z, idx)
        commit = self.beta * F.mse_loss(z, q)
        return z + (q - z).detach(), commit, idx
