"""Mixture of experts with a soft router."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class MoEConfig:
    dim: int = 12
    hidden: int = 24
    experts: int = 3
    layers: int = 2
    jitter: float = 0.01


class Expert(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.up = nn.Linear(cfg.dim, cfg.hidden)
        self.down = nn.Linear(cfg.hidden, cfg.dim)

    def forward(self, x):
        return self.down(nn.functional.silu(self.up(x)))


class MoELayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.norm = nn.LayerNorm(cfg.dim)
        self.router = nn.Linear(cfg.dim, cfg.experts)
        self.experts = nn.ModuleList(Expert(cfg) for _ in range(cfg.experts))

    def forward(self, x):
        h = self.norm(x)
        if self.training and self.cfg.jitter:
            h = h * torch.empty_like(h).uniform_(1 - self.cfg.jitter, 1 + self.cfg.jitter)
        gates = self.router(h).softmax(-1)
        mixed = 0
        for k, expert in enumerate(self.experts):
            mixed = mixed + gates[..., k : k + 1] * expert(h)
        return x + mixed


class MoEStack(nn.Module):
    def __init__(self, cfg=None):
        super().__init__()
        cfg = cfg or MoEConfig()
        self.layers = nn.ModuleList([MoELayer(cfg) for _ in range(cfg.layers)])
        self.final = nn.LayerNorm(cfg.dim)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.final(x)
