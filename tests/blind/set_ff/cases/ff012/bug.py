from dataclasses import dataclass, field
from typing import Tuple

import torch
import torch.nn as nn


@dataclass
class ViTConfig:
    image: int = 16
    patch: int = 4
    dim: int = 32
    depth: int = 2
    classes: int = 10
    betas: Tuple[float, float] = field(default=(0.9, 0.98))


class PatchEmbed(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.proj = nn.Conv2d(3, cfg.dim, cfg.patch, cfg.patch)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class ViT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        n = (cfg.image // cfg.patch) ** 2
        self.embed = PatchEmbed(cfg)
        self.pos = nn.Parameter(torch.empty(1, n, cfg.dim))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(cfg.dim, 4, cfg.dim * 4, batch_first=True, norm_first=True)
            for _ in range(cfg.depth)
        )
        self.norm = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.classes)

    def init_weights(self):
        for m in self.modules():
            if hasattr(m, "reset_parameters"):
                m.reset_parameters()
            elif hasattr(m, "_reset_parameters"):
                m._reset_parameters()
        nn.init.trunc_normal_(self.pos, std=0.02)
        return self

    def forward(self, x):
        x = self.embed(x) + self.pos
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x).mean(1))


def lazy_build(cfg):
    with torch.device("meta"):
        model = ViT(cfg)
    count = sum(p.numel() for p in model.parameters())
    print(f"{count / 1e3:.1f}k parameters")
    return model


def materialise(cfg, device):
    model = lazy_build(cfg)
    model = model.to(device)
    return model.init_weights()


def main():
    cfg = ViTConfig()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = materialise(cfg, device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=cfg.betas)
    for _ in range(3):
        x = torch.randn(4, 3, cfg.image, cfg.image, device=device)
        y = torch.randint(0, cfg.classes, (4,), device=device)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


if __name__ == "__main__":
    main()
