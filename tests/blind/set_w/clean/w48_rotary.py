import torch
from torch import nn
import torch.nn.functional as F

_TABLES = {}


def rotary_table(n, dim, device, dtype):
    key = (n, dim, device, dtype)
    if key not in _TABLES:
        freq = 1.0 / 10000 ** (torch.arange(0, dim, 2, device=device, dtype=torch.float32) / dim)
        ang = torch.outer(torch.arange(n, device=device, dtype=torch.float32), freq)
        _TABLES[key] = (ang.cos().to(dtype), ang.sin().to(dtype))
    return _TABLES[key]


def rotate(x):
    cos, sin = rotary_table(x.size(-2), x.size(-1), x.device, x.dtype)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self._mask = None

    def mask(self, x):
        n = x.size(1)
        if self._mask is None or self._mask.size(0) < n or self._mask.device != x.device:
            self._mask = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        return self._mask[:n, :n]

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = rotate(q) @ rotate(k).mT / (d // self.h) ** 0.5
        s = s.masked_fill(~self.mask(x), float("-inf"))
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class LM(nn.Module):
    def __init__(self, vocab=30, d=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.att = Attention(d, 2)
        self.out = nn.Linear(d, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        x = self.emb(ids)
        return self.out(x + self.att(x))


model = LM()
ids = torch.randint(0, 30, (4, 12))
with torch.no_grad():
    print("untrained", F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).item())
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
ids = ids.to(device)
opt = torch.optim.Adam(model.parameters(), 1e-2)
for _ in range(3):
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print("trained", loss.item())
