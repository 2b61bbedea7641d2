import torch.nn as nn

from .dropping import drop_edges
from .registry import register


@register("gated")
class GatedAttention(nn.Module):
    def __init__(self, dim, p=0.1):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.p = p

    def forward(self, x, adj):
        score = self.q(x) @ self.k(x).transpose(-1, -2) / x.shape[-1] ** 0.5
        score = score.masked_fill(adj == 0, -1e9)
        weights = score.softmax(dim=-1)
        if self.training and self.p > 0:
            weights = drop_edges(weights, self.p)
        return x + weights @ self.v(x)
