import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskCache:
    """Causal masks, one for each length and device."""

    def __init__(self):
        self.store = {}

    def get(self, n, device):
        key = (n, device.type, device.index)
        if key not in self.store:
            self.store[key] = torch.triu(torch.ones(n, n, dtype=torch.bool, device=device), 1)
        return self.store[key]


class SelfAttention(nn.Module):
    masks = MaskCache()

    def __init__(self, d, heads):
        super().__init__()
        self.h = heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.proj = nn.Linear(d, d)
        self.sin = None

    def _rotary(self, n, hd, x):
        if self.sin is None or self.sin.size(0) < n or self.sin.device != x.device:
            inv = 1.0 / 10000 ** (torch.arange(0, hd, 2, device=x.device) / hd)
            ang = torch.arange(n, device=x.device)[:, None] * inv[None]
            self.sin, self.cos = ang.sin(), ang.cos()
        return self.sin[:n], self.cos[:n]

    def rotate(self, t):
        sin, cos = self._rotary(t.size(-2), t.size(-1), t)
        a, b = t[..., ::2], t[..., 1::2]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.h, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        q, k = self.rotate(q), self.rotate(k)
        att = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        att = att.masked_fill(self.masks.get(n, x.device), float("-inf"))
        return self.proj((att.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.a, self.m = SelfAttention(d, heads), nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x):
        x = x + self.a(self.n1(x))
        x = x + self.m(self.n2(x))
        return x


class TinyGPT(nn.Module):
    def __init__(self, vocab=32, d=16, heads=2, depth=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(depth))
        self.head = nn.Linear(d, vocab)

    def forward(self, ids, targets=None):
        x = self.tok(ids)
        for blk in self.blocks:
            x = blk(x)
        logits = self.head(x)
        return logits if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, ids, n):
        self.eval()
        for _ in range(n):
            p = self(ids)[:, -1].softmax(-1)
            ids = torch.cat([ids, torch.multinomial(p, 1)], 1)
        self.train()
        return ids


model = TinyGPT()
print(model.generate(torch.zeros(1, 1, dtype=torch.long), 4).tolist())
device = "cuda" if torch.cuda.is_available() else "cpu"
model.to(device)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _ in range(4):
    ids = torch.randint(0, 32, (4, 11)).to(device)
    loss = model(ids[:, :-1], ids[:, 1:])
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
print(loss.item(), model.generate(ids[:1, :2], 5).shape)
