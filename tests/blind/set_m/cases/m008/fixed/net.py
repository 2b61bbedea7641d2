from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class Config:
    vocab: int = 64
    dim: int = 32
    depth: int = 2


class Decoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(cfg.dim), nn.Linear(cfg.dim, cfg.dim), nn.GELU()) for _ in range(cfg.depth))
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, ids):
        h = self.embed(ids)
        for block in self.blocks:
            h = h + block(h)
        return self.head(h)


def load_decoder(cfg, state, device):
    with torch.device("meta"):
        model = Decoder(cfg)
    model.to_empty(device=device)
    model.load_state_dict(state)
    return model.eval()
