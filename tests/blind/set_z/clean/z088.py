"""Two towers with a learned temperature that is kept in range after each step."""
import argparse
import logging
import math
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

logger = logging.getLogger("clip")
MAX_SCALE = math.log(100)


@dataclass
class TowerConfig:
    width: int = 16
    embed: int = 8
    vocab: int = 30
    context: int = 6


class ImageTower(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.conv = nn.Conv2d(3, cfg.width, 4, 4)
        self.norm = nn.LayerNorm(cfg.width)
        self.proj = nn.Parameter(cfg.width ** -0.5 * torch.randn(cfg.width, cfg.embed))

    def forward(self, x):
        h = self.conv(x).flatten(2).mean(-1)
        return self.norm(h) @ self.proj


class TextTower(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.width)
        self.pos = nn.Parameter(torch.empty(cfg.context, cfg.width))
        nn.init.normal_(self.pos, std=0.01)
        layer = nn.TransformerEncoderLayer(cfg.width, 2, 2 * cfg.width, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.proj = nn.Linear(cfg.width, cfg.embed, bias=False)
        self.register_buffer("mask", torch.full((cfg.context, cfg.context), float("-inf")).triu_(1), persistent=False)

    def forward(self, ids):
        n = ids.size(1)
        x = self.tok(ids) + self.pos[:n]
        x = self.enc(x, mask=self.mask[:n, :n])
        last = ids.argmax(-1)
        return self.proj(x[torch.arange(len(x), device=x.device), last])


class CLIP(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.image, self.text = ImageTower(cfg), TextTower(cfg)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, images, ids):
        a = F.normalize(self.image(images), dim=-1)
        b = F.normalize(self.text(ids), dim=-1)
        return a, b, self.logit_scale.exp()


class ClipLoss(nn.Module):
    def __init__(self, cache_labels=True):
        super().__init__()
        self.cache_labels = cache_labels
        self._labels = {}

    def labels(self, n, device):
        key = (device, n)
        if key not in self._labels:
            target = torch.arange(n, device=device)
            if not self.cache_labels:
                return target
            self._labels[key] = target
        return self._labels[key]

    def forward(self, a, b, scale):
        logits = scale * a @ b.t()
        y = self.labels(len(a), a.device)
        return (F.cross_entropy(logits, y) + F.cross_entropy(logits.t(), y)) / 2


class Pairs(Dataset):
    def __init__(self, n, cfg):
        self.images, self.ids = torch.randn(n, 3, 8, 8), torch.randint(0, cfg.vocab, (n, cfg.context))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return self.images[i], self.ids[i]


def exclude(name, p):
    return p.ndim < 2 or "norm" in name or "scale" in name


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    cfg = TowerConfig()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, criterion = CLIP(cfg).to(device), ClipLoss()
    named = list(model.named_parameters())
    optimizer = torch.optim.AdamW([{"params": [q for n, q in named if exclude(n, q)], "weight_decay": 0.0},
                                   {"params": [q for n, q in named if not exclude(n, q)], "weight_decay": 0.2}],
                                  lr=args.lr)
    model.train()
    for epoch in range(args.epochs):
        for images, ids in DataLoader(Pairs(16, cfg), 8, shuffle=True):
            loss = criterion(*model(images.to(device), ids.to(device)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                model.logit_scale.clamp_(0, MAX_SCALE)
        logger.info("%d %.3f %.2f", epoch, loss.item(), model.logit_scale.item())


if __name__ == "__main__":
    main()
