import math

import torch
import torch.nn as nn


def cosine_alphas(T, s=0.008):
    x = torch.linspace(0, T, T + 1)
    f = torch.cos((x / T + s) / (1 + s) * math.pi / 2) ** 2
    return (f / f[0])[1:].clamp(min=1e-4)


class NoiseSchedule(nn.Module):
    def __init__(self, T):
        super().__init__()
        self.T = T
        ac = cosine_alphas(T)
        self.register_buffer("alphas_cumprod", ac)
        self.sqrt_one_minus = (1 - ac).sqrt()

    def coefficients(self, t):
        return self.alphas_cumprod[t].sqrt().view(-1, 1), self.sqrt_one_minus[t].view(-1, 1)

    def ddim_step(self, x, eps, t, t_prev):
        a, s = self.coefficients(t)
        x0 = (x - s * eps) / a
        a2, s2 = self.coefficients(t_prev)
        return a2 * x0 + s2 * eps
