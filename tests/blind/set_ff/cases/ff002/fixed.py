import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class LMConfig:
    vocab: int = 50
    dim: int = 32
    heads: int = 4
    layers: int = 2
    context: int = 16
    window: int = 8


def banded_mask(length, window, device):
    rows = torch.arange(length, device=device).unsqueeze(1)
    cols = torch.arange(length, device=device).unsqueeze(0)
    return (cols > rows) | (rows - cols >= window)


class LocalAttention(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.heads = cfg.heads
        self.window = cfg.window
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim, bias=False)
        self.out = nn.Linear(cfg.dim, cfg.dim)

    def _split(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self._split(t) for t in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        mask = banded_mask(x.size(1), self.window, x.device)
        scores = scores.masked_fill(mask, float("-inf"))
        ctx = scores.softmax(-1) @ v
        return self.out(ctx.transpose(1, 2).reshape_as(x))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = LocalAttention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 4 * cfg.dim), nn.GELU(), nn.Linear(4 * cfg.dim, cfg.dim))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class LocalLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(torch.zeros(cfg.context, cfg.dim))
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[: ids.size(1)]
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def get_batch(corpus, cfg, batch_size, device):
    starts = torch.randint(0, len(corpus) - cfg.context - 1, (batch_size,)).tolist()
    x = torch.stack([corpus[s:s + cfg.context] for s in starts])
    y = torch.stack([corpus[s + 1:s + 1 + cfg.context] for s in starts])
    return x.to(device), y.to(device)


def train(steps=5):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    cfg = LMConfig()
    corpus = torch.randint(0, cfg.vocab, (1000,))
    model = LocalLM(cfg).to(device)
    optim = torch.optim.Adam(model.parameters(), lr=3e-4)
    for step in range(steps):
        x, y = get_batch(corpus, cfg, 4, device)
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optim.zero_grad(set_to_none=True)
        loss.backward()
        optim.step()
    return loss.item()


if __name__ == "__main__":
    print(train())
