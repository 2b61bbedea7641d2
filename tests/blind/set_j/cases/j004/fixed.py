import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def timestep_embedding(t, dim, max_period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half, dtype=torch.float32, device=t.device) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, dim=2, hidden=64, tdim=32):
        super().__init__()
        self.tdim = tdim
        self.time_mlp = nn.Sequential(nn.Linear(tdim, hidden), nn.SiLU(), nn.Linear(hidden, hidden))
        self.inp = nn.Linear(dim, hidden)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        emb = self.time_mlp(timestep_embedding(t, self.tdim))
        return self.out(self.inp(x) + emb)


class Diffusion(nn.Module):
    def __init__(self, model, T=100):
        super().__init__()
        self.model, self.T = model, T
        betas = torch.linspace(1e-4, 0.02, T)
        self.register_buffer("ac", torch.cumprod(1 - betas, 0))

    def loss(self, x0):
        t = torch.randint(0, self.T, (x0.size(0),), device=x0.device)
        noise = torch.randn_like(x0)
        a = self.ac[t][:, None]
        xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
        return F.mse_loss(self.model(xt, t), noise)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = p.parse_args()
    ddpm = Diffusion(Denoiser()).to(args.device)
    opt = torch.optim.AdamW(ddpm.parameters(), lr=2e-4)
    for step in range(args.steps):
        x0 = torch.randn(32, 2, device=args.device) * 0.3 + 1
        loss = ddpm.loss(x0)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    print("final", loss.item())


main()
