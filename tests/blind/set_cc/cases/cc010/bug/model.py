import math

import torch
from torch import nn
import torch.nn.functional as F


class TextTower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.bag = nn.Embedding(vocab, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, ids):
        return self.proj(self.bag(ids).mean(dim=1))


class TwoTower(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.image = nn.Sequential(nn.Linear(cfg.image_dim, 32), nn.GELU(), nn.Linear(32, cfg.embed_dim))
        self.text = TextTower(cfg.text_vocab, cfg.embed_dim)
        start = torch.tensor(math.log(1 / cfg.init_temperature))
        self.logit_scale = nn.Parameter(start).to(cfg.device)
        self.to(cfg.device)

    def forward(self, pixels, ids):
        u = F.normalize(self.image(pixels), dim=-1)
        v = F.normalize(self.text(ids), dim=-1)
        logits = self.logit_scale.exp().clamp(max=100.0) * u @ v.T
        labels = torch.arange(len(u), device=u.device)
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
