import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, encoder, dim=8, size=64, m=0.99, temp=0.1):
        super().__init__()
        self.size, self.m, self.temp = size, m, temp
        self.query = encoder
        self.key = copy.deepcopy(encoder)
        for p in self.key.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum(self):
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    @torch.no_grad()
    def _enqueue(self, keys):
        start = int(self.ptr)
        self.queue[:, start:start + keys.size(0)] = keys.t()
        self.ptr[0] = (start + keys.size(0)) % self.size

    @torch.no_grad()
    def _keys(self, x):
        self._momentum()
        perm = torch.randperm(x.size(0), device=x.device)
        k = F.normalize(self.key(x[perm]), dim=1)
        return k[torch.argsort(perm)]

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        k = self._keys(b)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().detach()
        logits = torch.cat([pos, neg], 1) / self.temp
        labels = torch.zeros(logits.size(0), dtype=torch.long, device=logits.device)
        self._enqueue(k)
        return logits, labels
