"""Reproducible samplers for a score model."""
from typing import Callable, Optional

import torch


class Seeded:
    def __init__(self, seed: int, device):
        self.device = torch.device(device)
        self.gen = torch.Generator()
        self.gen.manual_seed(seed)

    def normal(self, *shape):
        return torch.randn(*shape, generator=self.gen, device=self.device)


class EulerMaruyama:
    def __init__(self, score: Callable, steps: int = 10, sigma_max: float = 5.0, sigma_min: float = 0.05):
        self.score = score
        self.steps = steps
        self.sigmas = (sigma_max, sigma_min)

    def ladder(self, device):
        hi, lo = self.sigmas
        return torch.logspace(torch.tensor(hi).log10().item(), torch.tensor(lo).log10().item(), self.steps, device=device)

    @torch.no_grad()
    def __call__(self, n: int, dim: int, noise: Seeded, callback: Optional[Callable] = None):
        sigmas = self.ladder(noise.device)
        x = noise.normal(n, dim) * sigmas[0]
        for i in range(self.steps - 1):
            gap = sigmas[i] ** 2 - sigmas[i + 1] ** 2
            x = x + gap * self.score(x, sigmas[i])
            if i < self.steps - 2:
                x = x + gap.sqrt() * noise.normal(n, dim)
            if callback is not None:
                callback(i, x)
        return x


def gaussian_score(x, sigma):
    return -x / (1 + sigma ** 2)


def draw(n, dim, seed=0, device="cuda"):
    return EulerMaruyama(gaussian_score)(n, dim, Seeded(seed, device))
