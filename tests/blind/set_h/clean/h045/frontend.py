import torch
from torch import nn


class HostFeatures(nn.Module):
    """Fixed filter bank that is run on the host, in the loader's process; it has no trained weights."""

    def __init__(self, kernel=9, bands=6, seed=0):
        super().__init__()
        g = torch.Generator().manual_seed(seed)
        self.conv = nn.Conv1d(1, bands, kernel, stride=4, bias=False)
        with torch.no_grad():
            self.conv.weight.copy_(torch.randn(self.conv.weight.shape, generator=g) / kernel)
        self.requires_grad_(False)
        self.eval()

    @torch.no_grad()
    def forward(self, wave):
        return self.conv(wave.unsqueeze(1)).abs().log1p()
