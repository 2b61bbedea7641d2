import torch
import torch.nn as nn
import torch.nn.functional as F


class KVCache:
    def __init__(self):
        self.k = self.v = None

    def extend(self, k, v):
        self.k = k if self.k is None else torch.cat([self.k, k], dim=2)
        self.v = v if self.v is None else torch.cat([self.v, v], dim=2)
        return self.k, self.v

    def __len__(self):
        return 0 if self.k is None else self.k.size(2)


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv", 10000 ** (-torch.arange(0, dim, 2) / dim), persistent=False)
        self._cos = self._sin = None

    def table(self, n, device):
        if self._cos is None or self._cos.size(0) < n or self._cos.device != device:
            angle = torch.arange(n, device=device)[:, None] * self.inv
            self._cos, self._sin = angle.cos(), angle.sin()
        return self._cos, self._sin

    def forward(self, x, start):
        n = x.size(2)
        cos, sin = (t[start : start + n] for t in self.table(start + n, x.device))
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Layer(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.rotary = Rotary(dim // heads)
        self.norm = nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x, cache=None):
        b, t, d = x.shape
        start = 0 if cache is None else len(cache)
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = self.rotary(q, start), self.rotary(k, start)
        if cache is not None:
            k, v = cache.extend(k, v)
        score = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        allowed = torch.ones(t, k.size(2), dtype=torch.bool, device=x.device).tril(start)
        score = score.masked_fill(~allowed, float("-inf"))
        x = x + self.out((score.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(x)


class LM(nn.Module):
    def __init__(self, vocab=30, dim=32, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim) for _ in range(depth))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, caches=None):
        h = self.emb(ids)
        for i, layer in enumerate(self.layers):
            h = layer(h, caches[i] if caches else None)
        return self.head(h)

    @torch.no_grad()
    def generate(self, ids, n):
        self.eval()
        caches = [KVCache() for _ in self.layers]
        new = ids
        for _ in range(n):
            logits = self(new, caches)[:, -1]
            new = logits.argmax(-1, keepdim=True)
            ids = torch.cat([ids, new], 1)
        return ids


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LM().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    text = (torch.arange(200) * 7 % 30).to(device)
    starts = torch.randint(0, 180, (4, 8))
    for batch in starts:
        seq = torch.stack([text[s : s + 17] for s in batch.tolist()])
        loss = F.cross_entropy(model(seq[:, :-1]).flatten(0, 1), seq[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(model.generate(text[None, :5], 8).tolist())
