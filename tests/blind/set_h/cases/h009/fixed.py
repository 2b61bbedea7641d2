import math

import torch
import torch.nn.functional as F
from torch import nn


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        half = dim // 2
        self.register_buffer("freqs", torch.exp(-math.log(10000.0) * torch.arange(half) / half), persistent=False)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t):
        angles = t.float()[:, None] * self.freqs
        return self.mlp(torch.cat([angles.sin(), angles.cos()], dim=-1))


class Denoiser(nn.Module):
    def __init__(self, data_dim=2, dim=64):
        super().__init__()
        self.inp = nn.Linear(data_dim, dim)
        self.time = TimeEmbedding(dim)
        self.mid = nn.Sequential(nn.SiLU(), nn.Linear(dim, dim), nn.SiLU())
        self.out = nn.Linear(dim, data_dim)

    def forward(self, x, t):
        return self.out(self.mid(self.inp(x) + self.time(t)))


class Diffusion(nn.Module):
    def __init__(self, model, steps=100):
        super().__init__()
        self.model = model
        self.steps = steps
        beta = torch.linspace(1e-4, 0.02, steps)
        abar = torch.cumprod(1 - beta, 0)
        self.register_buffer("beta", beta)
        self.register_buffer("abar", abar)

    def loss(self, x0):
        t = torch.randint(0, self.steps, (x0.shape[0],), device=x0.device)
        a = self.abar[t].unsqueeze(-1)
        noise = torch.randn_like(x0)
        xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
        return F.mse_loss(self.model(xt, t), noise)

    @torch.no_grad()
    def sample(self, n):
        x = torch.randn(n, 2, device=self.beta.device)
        for i in reversed(range(self.steps)):
            t = torch.full((n,), i, device=x.device)
            eps = self.model(x, t)
            beta, abar = self.beta[i], self.abar[i]
            x = (x - beta / (1 - abar).sqrt() * eps) / (1 - beta).sqrt()
            if i:
                x = x + beta.sqrt() * torch.randn_like(x)
        return x


device = "cuda" if torch.cuda.is_available() else "cpu"
diffusion = Diffusion(Denoiser()).to(device)
opt = torch.optim.Adam(diffusion.parameters(), lr=1e-3)
for it in range(20):
    theta = torch.rand(64, device=device) * 2 * math.pi
    batch = torch.stack([theta.cos(), theta.sin()], dim=1)
    loss = diffusion.loss(batch)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), diffusion.sample(4).shape)
