import math

import torch
import torch.nn as nn

from .masks import causal, padding


class CrossBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, mem, blocked):
        score = self.q(x) @ self.k(mem).transpose(1, 2) / math.sqrt(x.size(-1))
        score = score.masked_fill(blocked, -1e4)
        return self.norm(x + score.softmax(-1) @ self.v(mem))


class Translator(nn.Module):
    def __init__(self, vocab, dim=24, limit=32):
        super().__init__()
        self.src, self.tgt = nn.Embedding(vocab, dim), nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(0.02 * torch.randn(limit, dim))
        self.enc, self.own, self.cross = CrossBlock(dim), CrossBlock(dim), CrossBlock(dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, src, tgt):
        pad = padding(src)[:, None]
        mem = self.src(src) + self.pos[: src.size(1)]
        mem = self.enc(mem, mem, pad)
        h = self.tgt(tgt) + self.pos[: tgt.size(1)]
        h = self.own(h, h, causal(tgt.size(1), tgt.device))
        return self.out(self.cross(h, mem, pad))
