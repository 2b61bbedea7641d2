"""Rotary position embedding with a table that grows on demand."""
import torch
from torch import nn


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class Rotary(nn.Module):
    def __init__(self, dim, base=10_000.0):
        super().__init__()
        self.register_buffer("inv_freq", base ** (-torch.arange(0, dim, 2).float() / dim), persistent=False)
        self._len = 0
        self._cos = None
        self._sin = None

    def tables(self, n):
        if n > self._len:
            pos = torch.arange(n, device=self.inv_freq.device, dtype=self.inv_freq.dtype)
            ang = torch.outer(pos, self.inv_freq).repeat(1, 2)
            self._cos, self._sin = ang.cos(), ang.sin()
            self._len = n
        return self._cos[:n], self._sin[:n]

    def forward(self, q, k):
        cos, sin = self.tables(q.size(-2))
        return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.rotary = Rotary(dim // heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = self.rotary(q, k)
        w = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
        return self.out((w @ v).transpose(1, 2).reshape(b, n, d))


def build(dim=16, heads=2, device="cpu", warm=8):
    """Runs once on the host to check the shapes, then goes to the device."""
    attn = Attention(dim, heads)
    with torch.no_grad():
        assert attn(torch.zeros(1, warm, dim)).shape == (1, warm, dim)
    return attn.to(device)
