from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class Config:
    vocab: int = 40
    dim: int = 16
    heads: int = 2
    layers: int = 2
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class Rotary:
    def __init__(self, dim, base=10000.0):
        self.dim, self.base = dim, base
        self.table = {}

    def get(self, q):
        n = q.size(-2)
        if (n, q.device) not in self.table:
            inv = 1.0 / self.base ** (torch.arange(0, self.dim, 2, device=q.device) / self.dim)
            ang = torch.outer(torch.arange(n, device=q.device).float(), inv)
            self.table[n, q.device] = (ang.cos(), ang.sin())
        return self.table[n, q.device]

    def __call__(self, q):
        cos, sin = self.get(q)
        a, b = q.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Block(nn.Module):
    def __init__(self, cfg, rotary):
        super().__init__()
        self.h = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.dim)
        self.rotary = rotary

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.h, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(self.rotary(q), self.rotary(k), v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(b, t, d))


class LM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        rotary = Rotary(cfg.dim // cfg.heads)
        self.blocks = nn.ModuleList(Block(cfg, rotary) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, ids):
        x = self.emb(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


cfg = Config()
model = LM(cfg)
with torch.no_grad():
    n_out = model(torch.zeros(1, 8, dtype=torch.long)).numel()
print("logits per sample", n_out)
model.to(cfg.device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    ids = torch.randint(0, cfg.vocab, (2, 9), device=cfg.device)
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
