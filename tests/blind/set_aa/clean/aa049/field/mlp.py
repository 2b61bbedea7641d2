import torch
import torch.nn as nn


class Radiance(nn.Module):
    def __init__(self, bands=3, hidden=32):
        super().__init__()
        self.register_buffer("freq", 2.0 ** torch.arange(bands), persistent=False)
        self.net = nn.Sequential(nn.Linear(6 * bands, hidden), nn.ReLU(), nn.Linear(hidden, 4))

    def forward(self, pts):
        ang = (pts[..., None] * self.freq).flatten(-2)
        out = self.net(torch.cat([ang.sin(), ang.cos()], dim=-1))
        return out[..., :3].sigmoid(), out[..., 3].relu()
