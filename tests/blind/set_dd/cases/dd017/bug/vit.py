import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.attn_map = None

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        attn = (q @ k.transpose(-2, -1) * (d // self.heads) ** -0.5).softmax(-1)
        self.attn_map = attn
        return self.proj((attn @ v).transpose(1, 2).reshape(b, n, d))


class ViT(nn.Module):
    def __init__(self, patch=4, dim=24, depth=2, heads=3, classes=5):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, patch, stride=patch)
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.attns = nn.ModuleList(SelfAttention(dim, heads) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        for norm, attn in zip(self.norms, self.attns):
            x = x + attn(norm(x))
        return self.head(x.mean(1))

    def attention_rollout(self):
        out = None
        for a in self.attns:
            m = a.attn_map.detach().mean(1)
            out = m if out is None else m @ out
        return out
