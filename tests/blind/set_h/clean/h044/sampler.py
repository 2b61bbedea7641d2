import torch


class DDIMScheduler:
    """Noise schedule of a sampler: its `step` goes one denoising step back."""

    def __init__(self, train_steps=100, device="cpu"):
        beta = torch.linspace(1e-4, 0.02, train_steps, device=device)
        self.abar = torch.cumprod(1 - beta, 0)
        self.timesteps = []

    def set_timesteps(self, n):
        total = len(self.abar)
        self.timesteps = list(range(total - 1, -1, -(total // n)))[:n]

    def step(self, eps, i, x):
        t = self.timesteps[i]
        a = self.abar[t]
        nxt = self.abar[self.timesteps[i + 1]] if i + 1 < len(self.timesteps) else torch.ones_like(a)
        x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
        return nxt.sqrt() * x0 + (1 - nxt).sqrt() * eps
