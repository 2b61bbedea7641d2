from functools import cached_property
from typing import Dict

import torch
from torch import nn


class RelativeBias(nn.Module):
    """Learned bias by distance; the bucket table depends on the length alone."""

    def __init__(self, heads, buckets=8):
        super().__init__()
        self.table = nn.Embedding(buckets, heads)
        self.buckets = buckets
        self._decay: Dict[int, torch.Tensor] = {}

    def decay(self, n, device):
        if n not in self._decay or self._decay[n].device != device:
            pos = torch.arange(n, device=device)
            self._decay[n] = torch.exp(-0.1 * (pos[:, None] - pos[None, :]).abs().float())
        return self._decay[n]

    def forward(self, n, device):
        pos = torch.arange(n, device=device)
        dist = (pos[:, None] - pos[None, :]).abs().clamp(max=self.buckets - 1)
        return self.table(dist).permute(2, 0, 1) * self.decay(n, device)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.bias = RelativeBias(heads)

    @cached_property
    def scale(self):
        return (self.out.in_features // self.heads) ** -0.5

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        att = (q @ k.transpose(-2, -1)) * self.scale + self.bias(n, x.device)
        return self.out((att.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class SequenceModel(nn.Module):
    def __init__(self, cin=4, dim=16, heads=2, out=3):
        super().__init__()
        self.inp = nn.Linear(cin, dim)
        self.att = Attention(dim, heads)
        self.head = nn.Linear(dim, out)

    def forward(self, x):
        h = self.inp(x)
        return self.head((h + self.att(h)).mean(1))
