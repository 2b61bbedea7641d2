from dataclasses import dataclass

import torch
from torch import nn

from losses import WeightedSum, kd_terms


@dataclass
class DistillConfig:
    temperature: float = 4.0
    alpha: float = 0.7
    lr: float = 1e-3
    steps: int = 6


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.GELU()]
    return nn.Sequential(*layers[:-1])


cfg = DistillConfig()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
teacher = mlp(16, 128, 128, 5).to(device).eval().requires_grad_(False)
student = mlp(16, 24, 5).to(device)
optimizer = torch.optim.AdamW(student.parameters(), lr=cfg.lr)
combine = WeightedSum([cfg.alpha, 1 - cfg.alpha])

for step in range(cfg.steps):
    x = torch.randn(32, 16, device=device)
    y = torch.randint(0, 5, (32,), device=device)
    with torch.no_grad():
        targets = teacher(x)
    loss = combine(kd_terms(student(x), targets, y, cfg.temperature))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{step} {loss.item():.4f}")
