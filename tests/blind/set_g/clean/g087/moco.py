import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, encoder, dim, queue=32, momentum=0.99, temperature=0.2):
        super().__init__()
        self.query, self.key = encoder, copy.deepcopy(encoder)
        self.key.requires_grad_(False)
        self.momentum, self.temperature = momentum, temperature
        self.register_buffer("queue", F.normalize(torch.randn(queue, dim), dim=1))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def update_key(self):
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.lerp_(q, 1 - self.momentum)

    @torch.no_grad()
    def enqueue(self, keys):
        start = int(self.pointer)
        self.queue[start:start + len(keys)] = keys
        self.pointer[0] = (start + len(keys)) % len(self.queue)

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        with torch.no_grad():
            self.update_key()
            k = F.normalize(self.key(b), dim=1)
        positive = (q * k).sum(1, keepdim=True)
        negative = q @ self.queue.clone().t()
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        labels = torch.zeros(len(logits), dtype=torch.long, device=logits.device)
        self.enqueue(k)
        return F.cross_entropy(logits, labels)
