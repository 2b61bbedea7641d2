import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def timestep_embedding(t, dim, max_period=10000):
    half = dim // 2
    exponent = torch.arange(half, dtype=torch.float32, device=t.device) / half
    freqs = torch.exp(-math.log(max_period) * exponent)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, data_dim=16, time_dim=32, hidden=64):
        super().__init__()
        self.time_dim = time_dim
        self.time_mlp = nn.Sequential(nn.Linear(time_dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden))
        self.inp = nn.Linear(data_dim, hidden)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(hidden, data_dim))

    def forward(self, x, t):
        emb = self.time_mlp(timestep_embedding(t, self.time_dim))
        return self.out(self.inp(x) + emb)


class Diffusion(nn.Module):
    def __init__(self, net, timesteps=100):
        super().__init__()
        self.net = net
        self.timesteps = timesteps
        betas = torch.linspace(1e-4, 0.02, timesteps)
        self.register_buffer("alpha_bar", torch.cumprod(1.0 - betas, dim=0))

    def loss(self, x0):
        t = torch.randint(0, self.timesteps, (x0.size(0),), device=x0.device)
        noise = torch.randn_like(x0)
        a = self.alpha_bar[t].unsqueeze(-1)
        xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
        return F.mse_loss(self.net(xt, t), noise)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--lr", type=float, default=2e-4)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    diffusion = Diffusion(Denoiser()).to(device)
    opt = torch.optim.AdamW(diffusion.parameters(), lr=args.lr)
    for step in range(args.steps):
        x0 = torch.randn(8, 16, device=device)
        loss = diffusion.loss(x0)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            print(f"{step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
