"""A small decoder-only language model with rotary embeddings and a key/value cache."""
from __future__ import annotations

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class Rotary:
    """cos/sin tables, grown on demand and kept per device and dtype."""

    def __init__(self, dim: int, base: float = 10000.0):
        self.dim, self.base = dim, base
        self._tables: dict = {}

    def __call__(self, length: int, ref: Tensor):
        key = (ref.device, ref.dtype)
        cached = self._tables.get(key)
        if cached is None or cached[0].size(0) < length:
            inv = self.base ** (-torch.arange(0, self.dim, 2, device=ref.device).float() / self.dim)
            ang = torch.outer(torch.arange(length, device=ref.device).float(), inv)
            ang = torch.cat([ang, ang], dim=-1)
            cached = (ang.cos().to(ref.dtype), ang.sin().to(ref.dtype))
            self._tables[key] = cached
        return cached


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-b, a], dim=-1) * sin


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        self.rotary = Rotary(self.hd)

    def forward(self, x: Tensor, past=None):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.heads, self.hd).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        start = 0 if past is None else past[0].size(2)
        cos, sin = self.rotary(start + n, x)
        q, k = (rotate(t, cos[start:start + n], sin[start:start + n]) for t in (q, k))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=past is None)
        return self.out(y.transpose(1, 2).reshape(b, n, d)), (k, v)


class LM(nn.Module):
    def __init__(self, vocab=32, dim=32, heads=4, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.attns = nn.ModuleList(Attention(dim, heads) for _ in range(depth))

    def forward(self, ids, past=None):
        x, present = self.emb(ids), []
        for i, (norm, attn) in enumerate(zip(self.norms, self.attns)):
            y, kv = attn(norm(x), None if past is None else past[i])
            x = x + y
            present.append(kv)
        return x @ self.emb.weight.t(), present

    @torch.no_grad()
    def generate(self, ids, n):
        logits, past = self(ids)
        for _ in range(n):
            nxt = logits[:, -1:].argmax(-1)
            ids = torch.cat([ids, nxt], dim=1)
            logits, past = self(nxt, past)
        return ids


if __name__ == "__main__":
    lm = LM().eval()
    prompt = torch.tensor([[1, 5, 9]])
    print("host  ", lm.generate(prompt, 4).tolist())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lm.to(device)
    print(device, lm.generate(prompt.to(device), 8).tolist())
