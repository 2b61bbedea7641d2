from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    dim: int = 32
    rank: int = 4
    lr: float = 5e-3
    steps: int = 4


class LoRALinear(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(base.in_features, rank) * 0.02)
        self.up = nn.Parameter(torch.zeros(rank, base.out_features))

    def forward(self, x):
        return self.base(x) + x @ self.down @ self.up


def inject(model, rank):
    for name, child in list(model.named_children()):
        if isinstance(child, nn.Linear):
            setattr(model, name, LoRALinear(child, rank))
        else:
            inject(child, rank)
    return model


def trainable(model):
    return [p for p in model.parameters() if p.requires_grad]


def describe(params):
    sizes = [p.numel() for p in params]
    print(f"{len(sizes)} tensors, {sum(sizes)} values are trained")


def configure(model, cfg):
    params = trainable(model)
    describe(params)
    optimizer = torch.optim.AdamW(params, lr=cfg.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.steps)
    return optimizer, schedule


def main(cfg):
    base = nn.Sequential(nn.Linear(cfg.dim, cfg.dim), nn.GELU(), nn.Linear(cfg.dim, 3))
    model = inject(base, cfg.rank)
    optimizer, schedule = configure(model, cfg)
    for _ in range(cfg.steps):
        x = torch.randn(16, cfg.dim)
        loss = F.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(loss.item())


main(Config())
