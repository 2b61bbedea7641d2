import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, vocab=30, dim=12, depth=3, classes=4):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())
                                    for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, ids, offsets=None):
        x = self.emb(ids, offsets)
        for b in self.blocks:
            x = x + b(x)
        return self.head(x)

    def replace_head(self, classes):
        self.head = nn.Linear(self.head.in_features, classes).to(self.head.weight.device)
