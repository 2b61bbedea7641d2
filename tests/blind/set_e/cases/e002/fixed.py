import torch
import torch.nn as nn
import torch.nn.functional as F


class MAB(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, q, k, pad=None):
        h = self.n1(q + self.attn(q, k, k, key_padding_mask=pad, need_weights=False)[0])
        return self.n2(h + self.ff(h))


def padding_mask(lengths, size=None):
    """True where a position lies beyond its sequence's end."""
    size = size or int(lengths.max())
    steps = torch.arange(size, device=lengths.device).expand(len(lengths), size)
    return steps >= lengths.unsqueeze(1)


class SetTransformer(nn.Module):
    def __init__(self, d_in, dim=16, heads=2, seeds=1, classes=3):
        super().__init__()
        self.embed = nn.Linear(d_in, dim)
        self.enc = nn.ModuleList(MAB(dim, heads) for _ in range(2))
        self.seed = nn.Parameter(torch.randn(1, seeds, dim))
        self.pool = MAB(dim, heads)
        self.out = nn.Linear(seeds * dim, classes)

    def forward(self, x, lengths):
        pad = padding_mask(lengths, x.size(1))
        h = F.relu(self.embed(x))
        for block in self.enc:
            h = block(h, h, pad)
        pooled = self.pool(self.seed.expand(x.size(0), -1, -1), h, pad)
        return self.out(pooled.flatten(1))
