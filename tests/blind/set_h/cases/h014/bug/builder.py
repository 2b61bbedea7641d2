import io
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class ModelConfig:
    vocab: int = 80
    dim: int = 32
    heads: int = 4
    layers: int = 2
    ffn: int = 64


class LM(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, cfg.ffn, dropout=0.0, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        self.out = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, ids):
        n = ids.size(1)
        mask = torch.ones(n, n, dtype=torch.bool, device=ids.device).triu(1)
        return self.out(self.blocks(self.tok(ids), mask=mask))


def empty_model(cfg):
    """Only the shapes: no memory is spent on weights that a checkpoint replaces anyway."""
    with torch.device("meta"):
        return LM(cfg)


def checkpoint(cfg):
    buf = io.BytesIO()
    torch.save(LM(cfg).state_dict(), buf)
    buf.seek(0)
    return buf
