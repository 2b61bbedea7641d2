"""Students, teachers and a queue of negatives in the manner of momentum contrast."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


class MoCo(nn.Module):
    def __init__(self, encoder, dim, queue=16, m=0.99, t=0.07):
        super().__init__()
        self.m, self.t = m, t
        self.query = encoder
        self.key = copy.deepcopy(encoder)
        for p in self.key.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, queue), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum(self):
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.data.mul_(self.m).add_(q.data, alpha=1 - self.m)

    @torch.no_grad()
    def _enqueue(self, keys):
        at = int(self.ptr)
        n = keys.size(0)
        self.queue[:, at : at + n] = keys.T
        self.ptr[0] = (at + n) % self.queue.size(1)

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        with torch.no_grad():
            self._momentum()
            k = F.normalize(self.key(b), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().detach()
        logits = torch.cat([pos, neg], dim=1) / self.t
        labels = torch.zeros(len(logits), dtype=torch.long, device=logits.device)
        self._enqueue(k)
        return logits, labels


def pretrain(model, views, lr=0.03):
    trainable = filter(lambda p: p.requires_grad, model.parameters())
    optimizer = torch.optim.SGD(trainable, lr=lr, momentum=0.9, weight_decay=1e-4)
    curve = []
    for a, b in views:
        logits, labels = model(a, b)
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return curve
