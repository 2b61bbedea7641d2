import torch


class DDIMScheduler:
    """Noise levels of a diffusion process; step() walks one level back."""

    def __init__(self, steps=20, device="cpu"):
        beta = torch.linspace(1e-4, 0.2, steps, device=device)
        self.alpha_bar = torch.cumprod(1 - beta, dim=0)
        self.steps = steps

    def add_noise(self, x, noise, t):
        a = self.alpha_bar[t].view(-1, *[1] * (x.dim() - 1))
        return a.sqrt() * x + (1 - a).sqrt() * noise

    def step(self, eps, t, x):
        a = self.alpha_bar[t]
        prev = self.alpha_bar[t - 1] if t > 0 else torch.ones_like(a)
        x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
        return prev.sqrt() * x0 + (1 - prev).sqrt() * eps
