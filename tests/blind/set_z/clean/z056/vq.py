import torch
from torch import nn
import torch.nn.functional as F


class VectorQuantizerEMA(nn.Module):
    """Code book that follows the encodings by moving averages, straight-through gradient."""

    def __init__(self, num_codes=16, dim=4, decay=0.9, beta=0.25, eps=1e-5):
        super().__init__()
        self.decay, self.beta, self.eps = decay, beta, eps
        embed = torch.randn(num_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(num_codes))
        self.register_buffer("embed_avg", embed.clone())

    @torch.no_grad()
    def _update(self, flat, onehot):
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + len(self.embed) * self.eps) * n
        self.embed.copy_(self.embed_avg / size.unsqueeze(1))

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        idx = torch.cdist(flat.detach(), self.embed).argmin(1)
        onehot = F.one_hot(idx, len(self.embed)).to(flat.dtype)
        q = self.embed[idx].view_as(z)
        if self.training:
            self._update(flat.detach(), onehot)
        commit = self.beta * F.mse_loss(z, q.detach())
        out = z + (q - z).detach()
        usage = onehot.mean(0)
        perplexity = torch.exp(-(usage * (usage + 1e-10).log()).sum()).item()
        return out, commit, perplexity
