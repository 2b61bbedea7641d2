import torch
from torch import nn


class WindowAttention(nn.Module):
    def __init__(self, dim, window, heads=2):
        super().__init__()
        self.dim, self.window, self.heads = dim, window, heads
        self.scale = (dim // heads) ** -0.5
        self.bias_table = nn.Parameter(torch.zeros(2 * window - 1, heads))
        coords = torch.arange(window)
        self.index = coords[:, None] - coords[None, :] + window - 1
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        attn = q * self.scale @ k.transpose(-2, -1)
        attn = attn + self.bias_table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1)
        if mask is not None:
            attn = attn + mask
        return self.proj((attn.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))


class SwinBlock(nn.Module):
    def __init__(self, dim, window, length=16, shift=2):
        super().__init__()
        self.attn, self.norm = WindowAttention(dim, window), nn.LayerNorm(dim)
        self.window, self.shift = window, shift
        region = torch.zeros(length)
        region[-window:-shift], region[-shift:] = 1, 2
        region = region.view(-1, window)
        mask = (region[:, None, :] != region[:, :, None]).float() * -100.0
        self.attn_mask = mask.unsqueeze(1)

    def forward(self, x):
        b, n, c = x.shape
        h = self.norm(x).roll(-self.shift, 1).view(-1, self.window, c)
        mask = self.attn_mask.repeat(b, 1, 1, 1)
        h = self.attn(h, mask)
        return x + h.view(b, n, c).roll(self.shift, 1)
