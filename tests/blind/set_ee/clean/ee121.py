import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RotaryCache(nn.Module):
    def __init__(self, dim, max_len=32, base=10000.0):
        super().__init__()
        inv = 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)
        self.register_buffer("inv_freq", inv, persistent=False)
        self._cos = None
        self._sin = None

    def _tables(self, n, device, dtype):
        stale = self._cos is None or self._cos.size(0) < n or self._cos.device != device
        if stale or self._cos.dtype != dtype:
            t = torch.arange(n, device=device, dtype=self.inv_freq.dtype)
            freqs = torch.outer(t, self.inv_freq.to(device))
            emb = torch.cat([freqs, freqs], dim=-1)
            self._cos, self._sin = emb.cos().to(dtype), emb.sin().to(dtype)
        return self._cos[:n], self._sin[:n]

    def forward(self, x):
        cos, sin = self._tables(x.size(-2), x.device, x.dtype)
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat([-b, a], dim=-1) * sin


class CausalAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.out = nn.Linear(dim, dim)
        self.rope = RotaryCache(dim // heads)
        self.neg = torch.tensor(float("-inf"))
        self.log_scale = nn.Parameter(torch.zeros(()))
        self.norm = 1 / math.sqrt(dim // heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = self.rope(q), self.rope(k)
        scores = q @ k.transpose(-1, -2) * self.norm * self.log_scale.exp()
        keep = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        scores = torch.where(keep, scores, self.neg)
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(b, n, d))


class TinyGPT(nn.Module):
    def __init__(self, vocab=40, dim=32, heads=4, depth=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(CausalAttention(dim, heads) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.tok(ids)
        for norm, block in zip(self.norms, self.blocks):
            x = x + block(norm(x))
        return self.head(x)

    @torch.no_grad()
    def generate(self, prompt, n):
        self.eval()
        ids = prompt
        for _ in range(n):
            nxt = self(ids)[:, -1].softmax(-1).multinomial(1)
            ids = torch.cat([ids, nxt], dim=1)
        return ids


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TinyGPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model.to(device)
    for _ in range(5):
        ids = torch.randint(0, 40, (4, 16), device=device)
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, 40), ids[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    sample = model.generate(torch.zeros(1, 1, dtype=torch.long, device=device), 8)
    print(loss.item(), sample.tolist())


if __name__ == "__main__":
    main()
