"""Decoder block with rotary embeddings; sanity-checked before training."""
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim: int, base: float = 10000.0):
        super().__init__()
        self.register_buffer("inv_freq", base ** (-torch.arange(0, dim, 2).float() / dim), persistent=False)
        self._cached_len = 0
        self._cos = None
        self._sin = None

    def _tables(self, length: int):
        if length > self._cached_len or self._cos.device != self.inv_freq.device:
            t = torch.arange(length, device=self.inv_freq.device).float()
            angles = torch.outer(t, self.inv_freq)
            self._cos, self._sin = angles.cos(), angles.sin()
            self._cached_len = length
        return self._cos[:length], self._sin[:length]

    def forward(self, x):
        cos, sin = self._tables(x.size(-2))
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


class Block(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.rope = Rotary(dim // heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = self.rope(q), self.rope(k)
        att = (q @ k.transpose(-1, -2) / q.size(-1) ** 0.5).softmax(dim=-1)
        return x + self.proj((att @ v).transpose(1, 2).reshape(b, n, d))
