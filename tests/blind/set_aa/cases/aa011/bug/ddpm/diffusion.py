import torch
import torch.nn as nn
import torch.nn.functional as F

from .schedules import SCHEDULES


def extract(table, t, like):
    return table.gather(0, t).view(-1, *([1] * (like.dim() - 1)))


class Diffusion(nn.Module):
    def __init__(self, net, steps=100, schedule="linear"):
        super().__init__()
        self.net, self.steps = net, steps
        betas = SCHEDULES[schedule](steps)
        alpha_bar = torch.cumprod(1 - betas, dim=0)
        self.register_buffer("betas", betas)
        self.register_buffer("sqrt_ab", alpha_bar.sqrt())
        self.sqrt_one_minus_ab = (1 - alpha_bar).sqrt()

    def q_sample(self, x0, t, noise):
        return extract(self.sqrt_ab, t, x0) * x0 + extract(self.sqrt_one_minus_ab, t, x0) * noise

    def forward(self, x0):
        t = torch.randint(self.steps, (x0.size(0),), device=x0.device)
        noise = torch.randn_like(x0)
        return F.mse_loss(self.net(self.q_sample(x0, t, noise), t), noise)

    @torch.no_grad()
    def sample(self, shape):
        x = torch.randn(shape, device=self.betas.device)
        for i in reversed(range(self.steps)):
            t = torch.full((shape[0],), i, device=x.device, dtype=torch.long)
            eps = self.net(x, t)
            beta = extract(self.betas, t, x)
            x = (x - beta / extract(self.sqrt_one_minus_ab, t, x) * eps) / (1 - beta).sqrt()
            if i:
                x = x + beta.sqrt() * torch.randn_like(x)
        return x
