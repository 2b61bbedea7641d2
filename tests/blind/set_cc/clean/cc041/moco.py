import copy

import torch
from torch import nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, encoder, dim, size=64, momentum=0.99, temperature=0.1):
        super().__init__()
        self.momentum, self.temperature = momentum, temperature
        self.query = encoder
        self.key = copy.deepcopy(encoder).requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("head", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def _momentum_step(self):
        for k, q in zip(self.key.parameters(), self.query.parameters()):
            k.mul_(self.momentum).add_(q, alpha=1 - self.momentum)

    @torch.no_grad()
    def _enqueue(self, keys):
        start = self.head.item()
        where = (start + torch.arange(len(keys), device=keys.device)) % len(self.queue)
        self.queue[where] = keys
        self.head.fill_((start + len(keys)) % len(self.queue))

    def forward(self, view_a, view_b):
        q = F.normalize(self.query(view_a), dim=1)
        with torch.no_grad():
            self._momentum_step()
            k = F.normalize(self.key(view_b), dim=1)
        positive = (q * k).sum(dim=1, keepdim=True)
        negative = q @ self.queue.clone().T
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        labels = torch.zeros(len(q), dtype=torch.long, device=q.device)
        self._enqueue(k)
        return F.cross_entropy(logits, labels)
