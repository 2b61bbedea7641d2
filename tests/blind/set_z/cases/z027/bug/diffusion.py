import math
from typing import Optional

import torch
from torch import nn


def cosine_betas(steps, s=0.008):
    t = torch.linspace(0, steps, steps + 1) / steps
    f = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
    return (1 - f[1:] / f[:-1]).clamp(max=0.999)


class Schedule(nn.Module):
    def __init__(self, steps=6):
        super().__init__()
        betas = cosine_betas(steps)
        self.steps = steps
        self.register_buffer("betas", betas)
        self.register_buffer("alphas", 1 - betas)
        self.register_buffer("cum", torch.cumprod(1 - betas, 0))

    def posterior(self, x, eps, t):
        a, c = self.alphas[t], self.cum[t]
        return (x - (1 - a) / (1 - c).sqrt() * eps) / a.sqrt()


class Denoiser(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, 24), nn.SiLU(), nn.Linear(24, dim))

    def forward(self, x, t):
        tt = torch.full((x.size(0), 1), float(t), device=x.device)
        return self.net(torch.cat([x, tt], dim=1))


class Sampler:
    def __init__(self, model, schedule, seed: Optional[int] = None):
        self.model, self.schedule = model, schedule
        self.generator = torch.Generator()
        if seed is not None:
            self.generator.manual_seed(seed)

    def noise(self, shape, device):
        return torch.randn(shape, generator=self.generator, device=device)

    @torch.no_grad()
    def __call__(self, n, dim=4):
        device = self.schedule.betas.device
        x = self.noise((n, dim), device)
        for t in reversed(range(self.schedule.steps)):
            x = self.schedule.posterior(x, self.model(x, t), t)
            if t > 0:
                x = x + self.schedule.betas[t].sqrt() * self.noise(x.shape, device)
        return x
