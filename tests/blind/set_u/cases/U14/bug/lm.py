from contextlib import nullcontext
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class LMConfig:
    vocab: int = 64
    dim: int = 32
    heads: int = 2
    layers: int = 2
    context: int = 16


class LM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Embedding(cfg.context, cfg.dim)
        layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 4 * cfg.dim, batch_first=True, dropout=0.0)
        self.body = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, ids):
        t = ids.size(1)
        x = self.tok(ids) + self.pos(torch.arange(t, device=ids.device))
        mask = torch.ones(t, t, dtype=torch.bool, device=ids.device).triu(1)
        return self.head(self.body(x, mask=mask))


def build(cfg, low_mem=True):
    with torch.device("meta") if low_mem else nullcontext():
        return LM(cfg)


def restore(model, state):
    missing, unexpected = model.load_state_dict(state, strict=False, assign=True)
    assert not unexpected, unexpected
    return missing
