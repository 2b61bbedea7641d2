from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Config:
    vocab: int = 50
    dim: int = 16
    layers: int = 2
    budget: int = 200_000


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return x + self.mlp(self.norm(x))


class TinyLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.blocks = nn.ModuleList(Block(cfg.dim) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


def sized_model(cfg):
    """Builds without allocating and refuses what does not fit."""
    with torch.device("meta"):
        model = TinyLM(cfg)
    n = count_parameters(model)
    if n > cfg.budget:
        raise ValueError(f"{n} parameters, allowed are {cfg.budget}")
    return model
