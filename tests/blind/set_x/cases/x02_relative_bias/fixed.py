"""T5-like attention with a bucketed relative position bias."""
import math

import torch
from torch import nn


class RelativePositionBias(nn.Module):
    def __init__(self, heads: int, buckets: int = 16, max_distance: int = 64):
        super().__init__()
        self.buckets = buckets
        self.max_distance = max_distance
        self.table = nn.Embedding(buckets, heads)

    def bucket(self, rel: torch.Tensor) -> torch.Tensor:
        half = self.buckets // 2
        sign = (rel > 0).long() * half
        n = rel.abs()
        exact = half // 2
        far = exact + (
            torch.log(n.float().clamp(min=1) / exact) / math.log(self.max_distance / exact) * (half - exact)
        ).long()
        far = far.clamp(max=half - 1)
        return sign + torch.where(n < exact, n, far)

    def _relative(self, q_len: int, k_len: int):
        query = torch.arange(q_len, device=self.table.weight.device)[:, None]
        key = torch.arange(k_len, device=self.table.weight.device)[None, :]
        return key - query

    def forward(self, q_len: int, k_len: int) -> torch.Tensor:
        rel = self._relative(q_len, k_len)
        values = self.table(self.bucket(rel))
        return values.permute(2, 0, 1).unsqueeze(0)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.out = nn.Linear(dim, dim)
        self.rel = RelativePositionBias(heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) + self.rel(n, n)
        y = scores.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, n, d))


def train(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    layer = Attention(16, 4).to(device)
    optim = torch.optim.AdamW(layer.parameters(), lr=1e-3)
    for _ in range(steps):
        x = torch.randn(2, 7, 16, device=device)
        loss = (layer(x) - x).pow(2).mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
    return layer


if __name__ == "__main__":
    train()
