import torch
from torch import nn
import torch.nn.functional as F


class FrozenLM(nn.Module):
    def __init__(self, vocab=32, dim=24, heads=4, depth=2):
        super().__init__()
        self.dim = dim
        self.emb = nn.Embedding(vocab, dim)
        self.qkv = nn.ModuleList(nn.Linear(dim, 3 * dim) for _ in range(depth))
        self.ff = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU()) for _ in range(depth))
        self.heads = heads
        self.requires_grad_(False)

    def from_embeddings(self, h):
        b, t, d = h.shape
        keep = torch.ones(t, t, dtype=torch.bool, device=h.device).tril()
        for qkv, ff in zip(self.qkv, self.ff):
            q, k, v = qkv(h).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            s = (q @ k.transpose(-1, -2) / q.size(-1) ** 0.5).masked_fill(~keep, float("-inf"))
            h = h + (s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d)
            h = h + ff(h)
        return F.linear(h, self.emb.weight)
