import math

import torch
from torch import nn
import torch.nn.functional as F


def cosine_betas(steps, s=0.008):
    t = torch.linspace(0, steps, steps + 1) / steps
    bar = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
    return (1 - bar[1:] / bar[:-1]).clamp(max=0.999)


class Denoiser(nn.Module):
    def __init__(self, dim=16, hidden=64):
        super().__init__()
        self.time = nn.Embedding(1000, hidden)
        self.inp = nn.Linear(dim, hidden)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.time(t))


class GaussianDiffusion(nn.Module):
    def __init__(self, net, steps=100):
        super().__init__()
        self.net, self.steps = net, steps
        betas = cosine_betas(steps)
        alpha_bar = torch.cumprod(1 - betas, dim=0)
        self.register_buffer("betas", betas)
        self.register_buffer("sqrt_ab", alpha_bar.sqrt())
        self.sqrt_one_minus_ab = (1 - alpha_bar).sqrt()

    def _at(self, table, t, ndim):
        return table[t].view(-1, *[1] * (ndim - 1))

    def q_sample(self, x0, t, noise):
        mean = self._at(self.sqrt_ab, t, x0.ndim) * x0
        return mean + self._at(self.sqrt_one_minus_ab, t, x0.ndim) * noise

    def forward(self, x0):
        t = torch.randint(0, self.steps, (x0.shape[0],), device=x0.device)
        noise = torch.randn_like(x0)
        return F.mse_loss(self.net(self.q_sample(x0, t, noise), t), noise)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    diffusion = GaussianDiffusion(Denoiser()).to(device)
    optim = torch.optim.AdamW(diffusion.parameters(), lr=3e-4)
    for step in range(5):
        loss = diffusion(torch.randn(32, 16, device=device))
        optim.zero_grad(set_to_none=True)
        loss.backward()
        optim.step()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
