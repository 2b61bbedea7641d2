"""Noise schedule kept on the host; single entries take part as scalars."""
import torch


class LinearSchedule:
    def __init__(self, steps=50, lo=1e-4, hi=0.05):
        self.steps = steps
        self.betas = torch.linspace(lo, hi, steps)
        self.alphas = 1 - self.betas
        self.bars = torch.cumprod(self.alphas, dim=0)

    def gather(self, values, t, ndim):
        """One value per sample for a batch of time steps."""
        return values.to(t.device)[t].view(-1, *([1] * (ndim - 1)))

    def add_noise(self, x, noise, t):
        bar = self.gather(self.bars, t, x.dim())
        return bar.sqrt() * x + (1 - bar).sqrt() * noise

    def reverse(self, x, eps, step: int):
        alpha, bar, beta = self.alphas[step], self.bars[step], self.betas[step]
        mean = (x - beta / (1 - bar).sqrt() * eps) / alpha.sqrt()
        if step == 0:
            return mean
        return mean + beta.sqrt() * torch.randn_like(x)
