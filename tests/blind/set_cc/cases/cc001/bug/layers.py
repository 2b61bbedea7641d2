import torch
from torch import nn
import torch.nn.functional as F


def rotary_tables(length: int, dim: int, base: float = 10000.0):
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)
    freqs = torch.outer(torch.arange(length).float(), inv_freq)
    emb = torch.cat([freqs, freqs], dim=-1)
    return emb.cos(), emb.sin()


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def apply_rotary(x, cos, sin):
    return x * cos + rotate_half(x) * sin


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4)
        offset = 0 if cache is None else cache[0].shape[2]
        cos, sin = rotary_tables(offset + t, self.head_dim)
        cos, sin = cos[offset:], sin[offset:]
        q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        att = q @ k.transpose(-1, -2) / self.head_dim ** 0.5
        if t > 1:
            keep = torch.ones(t, offset + t, dtype=torch.bool, device=x.device).tril(offset)
            att = att.masked_fill(~keep, float("-inf"))
        out = F.softmax(att, dim=-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, t, c)), (k, v)
