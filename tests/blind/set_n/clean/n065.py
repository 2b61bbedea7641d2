import math
import torch
from torch import nn


class T5Bias(nn.Module):
    def __init__(self, heads, buckets=8, max_distance=32):
        super().__init__()
        self.table = nn.Embedding(buckets, heads)
        edges = torch.logspace(0, math.log2(max_distance), buckets // 2, base=2.0)
        self.register_buffer("edges", edges, persistent=False)

    def buckets(self, n, m):
        i = torch.arange(n, device=self.edges.device)
        j = torch.arange(m, device=self.edges.device)
        d = j[None] - i[:, None]
        b = torch.bucketize(d.abs().float(), self.edges).clamp(max=len(self.edges) - 1)
        return b + (d > 0) * len(self.edges)

    def forward(self, n, m):
        return self.table(self.buckets(n, m)).permute(2, 0, 1)


class RelativeAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.kv, self.out = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim), nn.Linear(dim, dim)
        self.bias = T5Bias(heads)

    def forward(self, x, context=None):
        context = x if context is None else context
        q = self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = self.kv(context).chunk(2, -1)
        k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (k, v))
        scores = q @ k.mT / q.size(-1) ** 0.5 + self.bias(x.size(1), context.size(1))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
