import torch
from torch import nn

import schedules


def gather(table, t, x):
    return table[t].reshape(-1, *[1] * (x.dim() - 1))


class DDPM(nn.Module):
    def __init__(self, eps_model, T=50, schedule="cosine"):
        super().__init__()
        self.eps_model = eps_model
        self.T = T
        betas = schedules.get(schedule, T)
        alpha_bar = torch.cumprod(1 - betas, 0)
        self.sqrt_ab = alpha_bar.sqrt()
        self.sqrt_omab = (1 - alpha_bar).sqrt()

    def q_sample(self, x0, t, noise):
        return gather(self.sqrt_ab, t, x0) * x0 + gather(self.sqrt_omab, t, x0) * noise

    def forward(self, x0):
        t = torch.randint(0, self.T, (x0.size(0),), device=x0.device)
        noise = torch.randn_like(x0)
        return nn.functional.mse_loss(self.eps_model(self.q_sample(x0, t, noise), t), noise)
