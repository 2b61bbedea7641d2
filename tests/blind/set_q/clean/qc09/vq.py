import torch
import torch.nn as nn
import torch.nn.functional as F


class VQ(nn.Module):
    def __init__(self, n=16, d=8, decay=0.95, beta=0.25, eps=1e-5):
        super().__init__()
        self.n, self.decay, self.beta, self.eps = n, decay, beta, eps
        embed = torch.randn(n, d)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(n))
        self.register_buffer("embed_avg", embed.clone())

    @torch.no_grad()
    def _ema(self, flat, idx):
        onehot = F.one_hot(idx, self.n).type_as(flat)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        total = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (total + self.n * self.eps) * total
        self.embed.copy_(self.embed_avg / size.unsqueeze(1))
        dead = self.cluster_size < 0.05
        if dead.any():
            pick = flat[torch.randint(len(flat), (int(dead.sum()),), device=flat.device)]
            self.embed[dead] = pick
            self.embed_avg[dead] = pick
            self.cluster_size[dead] = 1.0

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        with torch.no_grad():
            idx = torch.cdist(flat, self.embed).argmin(1)
        q = F.embedding(idx, self.embed).view_as(z)
        if self.training:
            self._ema(flat.detach(), idx)
        commit = self.beta * F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        probs = torch.bincount(idx, minlength=self.n).float() / idx.numel()
        perplexity = torch.exp(-(probs * (probs + 1e-10).log()).sum())
        return q, commit, perplexity
