import math

import torch
import torch.nn as nn

from masks import causal_mask, padding_mask


class SelfAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        scores = scores.masked_fill(mask, float("-inf"))
        return self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class TinyLM(nn.Module):
    def __init__(self, vocab, d_model=32, heads=4, max_len=64):
        super().__init__()
        self.tok = nn.Embedding(vocab, d_model)
        self.pos = nn.Parameter(torch.zeros(max_len, d_model))
        self.attn = SelfAttention(d_model, heads)
        self.head = nn.Linear(d_model, vocab)

    def forward(self, ids):
        n = ids.size(1)
        x = self.tok(ids) + self.pos[:n]
        mask = padding_mask(ids) | causal_mask(n)
        return self.head(x + self.attn(x, mask))
