import torch
from torch import nn

from registry import register


@register("gated")
class GatedConv(nn.Module):
    def __init__(self, channels=4, classes=3):
        super().__init__()
        self.feat = nn.Conv1d(2, channels, 3, padding=1)
        self.gate = nn.Conv1d(2, channels, 3, padding=1)
        self.out = nn.Linear(channels, classes)

    def forward(self, x):
        h = self.feat(x) * torch.sigmoid(self.gate(x))
        return self.out(h.amax(-1))


@register("fourier")
class Fourier(nn.Module):
    def __init__(self, channels=4, classes=3, sigma=2.0):
        super().__init__()
        self.register_buffer("freq", torch.randn(2, channels) * sigma, persistent=False)
        self.out = nn.Linear(2 * channels, classes)

    def forward(self, x):
        proj = 6.2832 * x.mean(-1) @ self.freq
        return self.out(torch.cat([proj.sin(), proj.cos()], -1))
