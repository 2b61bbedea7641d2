"""A small 1-D denoiser for diffusion over waveforms."""
import math
from typing import Optional

import torch
from torch import nn
import torch.nn.functional as F


def sinusoidal(steps: torch.Tensor, width: int, max_period: float = 10_000.0) -> torch.Tensor:
    half = width // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half, dtype=torch.float32, device=steps.device) / half)
    angles = steps.float()[:, None] * freqs[None]
    emb = torch.cat([angles.cos(), angles.sin()], dim=-1)
    if width % 2:
        emb = F.pad(emb, (0, 1))
    return emb


class ResBlock(nn.Module):
    def __init__(self, channels: int, emb: int, groups: int = 4):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        self.conv_in = nn.Conv1d(channels, channels, 3, padding=1)
        self.conv_out = nn.Conv1d(channels, channels, 3, padding=1)
        self.proj = nn.Linear(emb, channels * 2)

    def forward(self, h, emb):
        scale, shift = self.proj(emb).unsqueeze(-1).chunk(2, dim=1)
        y = self.conv_in(F.silu(self.norm(h)))
        y = y * (1 + scale) + shift
        return h + self.conv_out(F.silu(y))


class WaveDenoiser(nn.Module):
    def __init__(self, channels: int = 16, depth: int = 2, emb: int = 32):
        super().__init__()
        self.emb = emb
        self.lift = nn.Conv1d(1, channels, 7, padding=3)
        self.time_mlp = nn.Sequential(nn.Linear(emb, emb), nn.SiLU(), nn.Linear(emb, emb))
        self.blocks = nn.ModuleList([ResBlock(channels, emb) for _ in range(depth)])
        self.drop = nn.Conv1d(channels, 1, 1)

    def forward(self, wave: torch.Tensor, t: torch.Tensor, cond: Optional[torch.Tensor] = None):
        emb = self.time_mlp(sinusoidal(t, self.emb))
        if cond is not None:
            emb = emb + cond
        h = self.lift(wave)
        for block in self.blocks:
            h = block(h, emb)
        return self.drop(h)
