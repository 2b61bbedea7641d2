import copy
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn


class Queue:
    """The keys of the last batches, newest first."""

    def __init__(self, batches):
        self.chunks = deque(maxlen=batches)

    def __len__(self):
        return sum(len(c) for c in self.chunks)

    @property
    def keys(self):
        return torch.cat(list(self.chunks))

    def push(self, k):
        self.chunks.appendleft(k.detach().cpu())


class MoCo(nn.Module):
    def __init__(self, encoder, queue=3, m=0.99, t=0.1):
        super().__init__()
        self.q = encoder
        self.k = copy.deepcopy(encoder).requires_grad_(False)
        self.m, self.t = m, t
        self.queue = Queue(queue)

    @torch.no_grad()
    def momentum(self):
        for a, b in zip(self.q.parameters(), self.k.parameters()):
            b.lerp_(a, 1 - self.m)

    def forward(self, x1, x2):
        q = F.normalize(self.q(x1), dim=1)
        with torch.no_grad():
            self.momentum()
            k = F.normalize(self.k(x2), dim=1)
        logits = [(q * k).sum(1, keepdim=True)]
        if len(self.queue):
            logits.append(q @ self.queue.keys.T)
        self.queue.push(k)
        return torch.cat(logits, 1) / self.t
