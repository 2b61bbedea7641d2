"""Building blocks shared by the models of the project."""
import math
from functools import lru_cache
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["RelPos", "TransformerBlock", "sinusoid", "lengths_to_mask", "focal"]


@lru_cache(maxsize=16)
def _table(n: int, d: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    pos = torch.arange(n, device=device, dtype=torch.float32).unsqueeze(1)
    div = torch.exp(torch.arange(0, d, 2, device=device, dtype=torch.float32) * (-math.log(1e4) / d))
    pe = torch.empty(n, d, device=device)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe.to(dtype)


def sinusoid(n: int, d: int, like: Tensor) -> Tensor:
    return _table(n, d, like.device, like.dtype)


def lengths_to_mask(lengths: Tensor, max_len: int, device: Optional[torch.device] = None) -> Tensor:
    device = device if device is not None else lengths.device
    return torch.arange(max_len, device=device) >= lengths.to(device).unsqueeze(1)


class RelPos(nn.Module):
    def __init__(self, heads: int, buckets: int = 8):
        super().__init__()
        self.buckets = buckets
        self.bias = nn.Embedding(2 * buckets + 1, heads)

    def forward(self, n: int) -> Tensor:
        i = torch.arange(n, device=self.bias.weight.device)
        rel = (i[None] - i[:, None]).clamp(-self.buckets, self.buckets) + self.buckets
        return self.bias(rel).permute(2, 0, 1)


class TransformerBlock(nn.Module):
    def __init__(self, dim: int, heads: int, rel: Optional[RelPos] = None):
        super().__init__()
        self.heads, self.rel = heads, rel
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def attend(self, x: Tensor, pad: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        bias = torch.zeros(b, 1, 1, n, dtype=x.dtype, device=x.device).masked_fill_(pad[:, None, None], float("-inf"))
        if self.rel is not None:
            bias = bias + self.rel(n)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.proj(out.transpose(1, 2).reshape(b, n, d))

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        x = x + sinusoid(x.size(1), x.size(2), x)
        x = x + self.attend(self.norm1(x), lengths_to_mask(lengths, x.size(1), x.device))
        return x + self.mlp(self.norm2(x))


def focal(logits: Tensor, target: Tensor, alpha: Optional[Tensor] = None, gamma: float = 2.0) -> Tensor:
    ce = F.cross_entropy(logits, target, reduction="none")
    loss = (1 - torch.exp(-ce)) ** gamma * ce
    if alpha is not None:
        loss = alpha.to(logits.device)[target] * loss
    return loss.mean()
