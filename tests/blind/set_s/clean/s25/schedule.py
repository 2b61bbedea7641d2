import torch


class CosineSchedule:
    """Diffusion coefficients; the tables stay on the CPU, what is taken from them follows the sample."""

    def __init__(self, steps, s=0.008):
        t = torch.linspace(0, 1, steps + 1, dtype=torch.float64)
        curve = torch.cos((t + s) / (1 + s) * torch.pi / 2) ** 2
        abar = (curve / curve[0])[1:].clamp(1e-5, 1.0)
        self.steps = steps
        self.sqrt_abar = abar.sqrt().float()
        self.sqrt_one_minus = (1 - abar).sqrt().float()

    def take(self, table, t, like):
        picked = table.gather(0, t)
        return picked.view(-1, *([1] * (like.dim() - 1))).to(like.device)

    def noise(self, x0, t, eps):
        return self.take(self.sqrt_abar, t, x0) * x0 + self.take(self.sqrt_one_minus, t, x0) * eps
