from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


@dataclass
class Config:
    dim: int = 24
    depth: int = 4
    every: int = 2
    checkpointing: bool = True


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.tok = nn.Sequential(nn.Linear(tokens, tokens), nn.GELU(), nn.Linear(tokens, tokens))
        self.ch = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim))

    def forward(self, x):
        x = x + self.tok(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.ch(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self, cfg, tokens=16, classes=5):
        super().__init__()
        self.cfg = cfg
        self.patch = nn.Conv2d(3, cfg.dim, 4, stride=4)
        self.blocks = nn.ModuleList(MixerBlock(tokens, cfg.dim) for _ in range(cfg.depth))
        self.head = nn.Linear(cfg.dim, classes)

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        for i, block in enumerate(self.blocks):
            if self.training and self.cfg.checkpointing and i % self.cfg.every == 0:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return self.head(x.mean(1))


def cutmix(x, y, classes):
    perm = torch.randperm(len(x), device=x.device)
    lam = float(torch.rand(()).clamp(0.3, 0.7))
    cut = int(x.size(3) * lam)
    mixed = x.clone()
    mixed[..., cut:] = x[perm][..., cut:]
    onehot = F.one_hot(y, classes).float()
    return mixed, lam * onehot + (1 - lam) * onehot[perm]


def main():
    model = Mixer(Config())
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(3):
        img, y = torch.randn(4, 3, 16, 16), torch.randint(0, 5, (4,))
        img, soft = cutmix(img, y, 5)
        loss = F.cross_entropy(model(img), soft)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


main()
