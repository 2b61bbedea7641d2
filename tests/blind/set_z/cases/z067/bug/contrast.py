import copy

import torch
from torch import nn
import torch.nn.functional as F


class MoCo(nn.Module):
    """Momentum contrast with a queue of keys."""

    def __init__(self, make_encoder, dim=6, size=24, m=0.95, t=0.2):
        super().__init__()
        self.m, self.t, self.size = m, t, size
        self.query = make_encoder(dim)
        self.key = copy.deepcopy(self.query)
        self.register_buffer("bank", F.normalize(torch.randn(size, dim), dim=1))

    @torch.no_grad()
    def momentum_update(self):
        for k, q in zip(self.key.parameters(), self.query.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    def push(self, keys):
        self.bank = torch.cat([keys, self.bank])[: self.size]

    def encode_key(self, x):
        with torch.no_grad():
            return F.normalize(self.key(x), dim=1)

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        k = self.encode_key(b)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.bank.detach().t()
        logits = torch.cat([pos, neg], dim=1) / self.t
        target = torch.zeros(len(q), dtype=torch.long, device=q.device)
        self.push(0.5 * (k + q))
        return F.cross_entropy(logits, target)
