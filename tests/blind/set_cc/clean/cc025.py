from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 50
    dim: int = 32
    heads: int = 2
    window: int = 6


class SlidingAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.dim)
        self._bias = None

    def _band(self, t, like):
        cached = self._bias
        if cached is None or cached.shape[0] < t or cached.device != like.device or cached.dtype != like.dtype:
            i = torch.arange(t, device=like.device)
            gap = i[:, None] - i[None, :]
            visible = (gap >= 0) & (gap < self.cfg.window)
            cached = torch.zeros(t, t, dtype=like.dtype, device=like.device).masked_fill(~visible, float("-inf"))
            self._bias = cached
        return cached[:t, :t]

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.cfg.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        score = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        score = score + self._band(t, score)
        y = score.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, c))


class LM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.attn = SlidingAttention(cfg)
        self.norm = nn.LayerNorm(cfg.dim)

    def forward(self, ids):
        x = self.embed(ids)
        x = self.norm(x + self.attn(x))
        return x @ self.embed.weight.T


def check_on_host(model, ids):
    with torch.no_grad():
        return model(ids).shape


if __name__ == "__main__":
    model = LM(Config())
    ids = torch.randint(0, 50, (4, 12))
    print("host forward", check_on_host(model, ids))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        batch = torch.randint(0, 50, (4, 16), device=device)
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
