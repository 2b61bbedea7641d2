import torch
from torch import nn


class RotaryCache(nn.Module):
    """Cos/sin tables, made lazily and again when the device, the type or the length asks for it."""

    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.dim, self.base = dim, base
        self._len = 0
        self._cos = None
        self._sin = None

    def _tables(self, n, like):
        stale = (self._cos is None or n > self._len
                 or self._cos.device != like.device or self._cos.dtype != like.dtype)
        if stale:
            freq = self.base ** (-torch.arange(0, self.dim, 2, device=like.device).float() / self.dim)
            ang = torch.outer(torch.arange(n, device=like.device).float(), freq)
            ang = torch.cat([ang, ang], dim=-1)
            self._cos, self._sin = ang.cos().to(like.dtype), ang.sin().to(like.dtype)
            self._len = n
        return self._cos[:n], self._sin[:n]

    def forward(self, q, k):
        cos, sin = self._tables(q.size(-2), q)
        return rotate(q, cos, sin), rotate(k, cos, sin)


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-b, a], dim=-1) * sin


class Attention(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.rope = RotaryCache(dim // heads)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = self.rope(q, k)
        att = (q @ k.transpose(-2, -1)) / (d // self.heads) ** 0.5
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        att = att.masked_fill(mask, float("-inf")).softmax(-1)
        return self.out((att @ v).transpose(1, 2).reshape(b, t, d))
