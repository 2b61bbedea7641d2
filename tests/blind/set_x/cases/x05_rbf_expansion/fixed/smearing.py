"""SchNet-like message passing on small molecules."""
import torch
from torch import nn


class GaussianSmearing(nn.Module):
    """Expands distances in a basis of Gaussians."""

    def __init__(self, start=0.0, stop=5.0, num=16):
        super().__init__()
        offsets = torch.linspace(start, stop, num)
        self.coeff = -0.5 / (offsets[1] - offsets[0]).item() ** 2
        self.register_buffer("offset", offsets, persistent=False)

    def forward(self, dist):
        delta = dist.unsqueeze(-1) - self.offset
        return torch.exp(self.coeff * delta.pow(2))
