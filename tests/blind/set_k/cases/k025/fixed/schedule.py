import math

import torch


class CosineSchedule:
    def __init__(self, steps, s=0.008):
        self.steps = steps
        grid = torch.arange(steps + 1, dtype=torch.float64) / steps
        f = torch.cos((grid + s) / (1 + s) * math.pi / 2) ** 2
        self.alpha_bar = (f / f[0]).clamp(1e-5, 1.0)[1:].float()

    def take(self, table, t, like):
        """Values of a table at each step of the batch, shaped to multiply `like`."""
        picked = table.to(t.device)[t]
        return picked.reshape(-1, *([1] * (like.dim() - 1)))

    def add_noise(self, x0, noise, t):
        a = self.take(self.alpha_bar, t, x0)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def draw(self, n, device):
        return torch.randint(0, self.steps, (n,), device=device)
