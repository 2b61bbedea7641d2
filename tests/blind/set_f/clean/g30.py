"""Greedy and beam decoding with a cache of keys and values."""
import torch
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, d, heads=2):
        super().__init__()
        self.h = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.o = nn.Linear(d, d)
        causal = torch.ones(64, 64, dtype=torch.bool).tril()
        self.register_buffer("causal", causal, persistent=False)

    def forward(self, x, past=None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[0], k], -2), torch.cat([past[1], v], -2)
        m = k.size(-2)
        mask = self.causal[m - n : m, :m]
        w = (q @ k.transpose(-1, -2)).masked_fill(~mask, float("-inf")).softmax(-1)
        return self.o((w @ v).transpose(1, 2).reshape(b, n, d)), (k, v)


class LM(nn.Module):
    def __init__(self, vocab=16, d=8, depth=2):
        super().__init__()
        self.emb, self.pos = nn.Embedding(vocab, d), nn.Embedding(64, d)
        self.layers = nn.ModuleList(CachedAttention(d) for _ in range(depth))
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, ids, past=None):
        start = 0 if past is None else past[0][0].size(-2)
        pos = torch.arange(start, start + ids.size(1), device=ids.device)
        x, new = self.emb(ids) + self.pos(pos), []
        for layer, cache in zip(self.layers, past or [None] * len(self.layers)):
            y, kv = layer(x, cache)
            x = x + y
            new.append(kv)
        return self.head(x), new

    @torch.no_grad()
    def greedy(self, bos, batch, steps, eos=1):
        ids = torch.full((batch, 1), bos, device=self.emb.weight.device, dtype=torch.long)
        done = ids.new_zeros(batch, dtype=torch.bool)
        past, out = None, [ids]
        for _ in range(steps):
            logits, past = self(out[-1], past)
            token = logits[:, -1].argmax(-1).masked_fill(done, eos)
            done = done | token.eq(eos)
            out.append(token.unsqueeze(1))
            if bool(done.all()):
                break
        return [row.tolist() for row in torch.cat(out, 1)]
