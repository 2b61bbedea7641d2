"""DDIM schedule with optional noise."""
import torch


class DDIMScheduler:
    def __init__(self, steps: int, device, train_steps: int = 100):
        betas = torch.linspace(1e-4, 0.02, train_steps, device=device)
        self.alphas = torch.cumprod(1 - betas, dim=0)
        self.timesteps = list(range(train_steps - 1, -1, -(train_steps // steps)))

    def previous(self, t):
        i = self.timesteps.index(t)
        return self.timesteps[i + 1] if i + 1 < len(self.timesteps) else None

    def step(self, eps, t, x, eta=0.0, generator=None):
        a = self.alphas[t]
        prev = self.previous(t)
        a_prev = self.alphas[prev] if prev is not None else torch.ones_like(a)
        x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
        sigma = eta * ((1 - a_prev) / (1 - a) * (1 - a / a_prev)).clamp(min=0).sqrt()
        mean = a_prev.sqrt() * x0 + (1 - a_prev - sigma ** 2).clamp(min=0).sqrt() * eps
        noise = torch.randn(x.shape, generator=generator, device=x.device)
        return mean + sigma * noise
