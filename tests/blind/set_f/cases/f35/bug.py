"""Posterior sampling with classifier-free guidance."""
from dataclasses import dataclass, field
from typing import Tuple

import torch
from torch import nn


@dataclass
class SampleConfig:
    shape: Tuple[int, ...] = (3, 6)
    steps: int = 4
    guidance: float = 1.5
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class Conditional(nn.Module):
    def __init__(self, d, classes):
        super().__init__()
        self.label = nn.Embedding(classes + 1, d)
        self.net = nn.Sequential(nn.Linear(2 * d + 1, 32), nn.SiLU(), nn.Linear(32, d))
        self.null = classes

    def forward(self, x, t, y):
        return self.net(torch.cat([x, self.label(y), t.expand(len(x), 1)], dim=1))


class GuidedSampler:
    def __init__(self, model, cfg):
        self.cfg = cfg
        self.model = model.to(cfg.device).eval()

    def start(self):
        return torch.randn(self.cfg.shape)

    def guided(self, x, t, y):
        null = torch.full_like(y, self.model.null)
        cond, uncond = self.model(x, t, y), self.model(x, t, null)
        return uncond + self.cfg.guidance * (cond - uncond)

    @torch.no_grad()
    def run(self, y):
        y = y.to(self.cfg.device)
        x = self.start()
        for k in range(self.cfg.steps):
            t = torch.full((1, 1), 1 - k / self.cfg.steps, device=self.cfg.device)
            x = x - self.guided(x, t, y) / self.cfg.steps
        return x.cpu()


if __name__ == "__main__":
    cfg = SampleConfig()
    sampler = GuidedSampler(Conditional(cfg.shape[1], 5), cfg)
    print(sampler.run(torch.tensor([0, 3, 4])).std())
