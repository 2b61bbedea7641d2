from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class DiffusionConfig:
    steps: int = 50
    dim: int = 2
    hidden: int = 48
    lr: float = 1e-3
    iterations: int = 20
    batch: int = 64


def timestep_embedding(t: Tensor, dim: int) -> Tensor:
    half = dim // 2
    freqs = torch.exp(-math.log(10_000) * torch.arange(half, device=t.device) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, cfg: DiffusionConfig):
        super().__init__()
        self.temb = 16
        self.net = nn.Sequential(
            nn.Linear(cfg.dim + self.temb, cfg.hidden), nn.SiLU(),
            nn.Linear(cfg.hidden, cfg.hidden), nn.SiLU(),
            nn.Linear(cfg.hidden, cfg.dim),
        )

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        return self.net(torch.cat([x, timestep_embedding(t, self.temb)], dim=1))


def extract(table: Tensor, t: Tensor, x: Tensor) -> Tensor:
    out = table.gather(0, t)
    return out.view(-1, *([1] * (x.ndim - 1)))


class GaussianDiffusion(nn.Module):
    betas: Tensor
    alpha_bar: Tensor

    def __init__(self, model: nn.Module, cfg: DiffusionConfig):
        super().__init__()
        self.model = model
        self.cfg = cfg
        betas = torch.linspace(1e-4, 0.05, cfg.steps)
        alphas = 1.0 - betas
        self.register_buffer("betas", betas)
        self.register_buffer("alphas", alphas)
        self.register_buffer("alpha_bar", torch.cumprod(alphas, dim=0))

    def forward(self, x0: Tensor) -> Tensor:
        t = torch.randint(0, self.cfg.steps, (x0.size(0),), device=x0.device)
        noise = torch.randn_like(x0)
        ab = extract(self.alpha_bar, t, x0)
        xt = ab.sqrt() * x0 + (1 - ab).sqrt() * noise
        return F.mse_loss(self.model(xt, t), noise)

    @torch.no_grad()
    def sample(self, n: int) -> Tensor:
        device = self.betas.device
        x = torch.randn(n, self.cfg.dim, device=device)
        for step in range(self.cfg.steps - 1, -1, -1):
            t = torch.full((n,), step, device=device, dtype=torch.long)
            eps = self.model(x, t)
            coef = self.betas[step] / (1 - self.alpha_bar[step]).sqrt()
            x = (x - coef * eps) / self.alphas[step].sqrt()
            if step:
                x += self.betas[step].sqrt() * torch.randn_like(x)
        return x


def ring(n: int) -> Tensor:
    angle = torch.rand(n) * 2 * math.pi
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(n, 2)


def main() -> None:
    cfg = DiffusionConfig()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    diffusion = GaussianDiffusion(Denoiser(cfg), cfg).to(device)
    opt = torch.optim.Adam(diffusion.parameters(), lr=cfg.lr)
    for it in range(cfg.iterations):
        loss = diffusion(ring(cfg.batch).to(device))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    diffusion.eval()
    radius = diffusion.sample(32).norm(dim=1)
    print(f"loss {loss.item():.3f} mean radius {radius.mean().item():.3f}")


if __name__ == "__main__":
    main()
