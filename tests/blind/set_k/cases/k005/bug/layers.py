import math

import torch
import torch.nn as nn


class TimeEmbedding(nn.Module):
    """Base for anything conditioned on a diffusion step."""

    def __init__(self, dim, max_period=10000):
        super().__init__()
        self.dim = dim
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.build_table(max_period)

    def build_table(self, max_period):
        half = self.dim // 2
        freqs = torch.exp(-math.log(max_period) * torch.arange(half) / half)
        self.freqs = freqs

    def embed(self, t):
        args = t[:, None].float() * self.freqs[None]
        return self.mlp(torch.cat([args.cos(), args.sin()], dim=-1))


class ConditionedBlock(TimeEmbedding):
    def __init__(self, channels, dim):
        super().__init__(dim)
        self.conv = nn.Conv1d(channels, channels, 3, padding=1)
        self.shift = nn.Linear(dim, channels)

    def forward(self, x, t):
        h = self.conv(x) + self.shift(self.embed(t))[:, :, None]
        return x + torch.tanh(h)
