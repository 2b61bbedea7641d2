from typing import Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F


class PointNetEncoder(nn.Module):
    """Shared MLP over points, max pooled to one global descriptor."""

    def __init__(self, in_dim: int, widths: Sequence[int], out_dim: int = 6):
        super().__init__()
        dims = [in_dim, *widths]
        self.mlps = nn.ModuleList(nn.Conv1d(a, b, 1) for a, b in zip(dims, dims[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(b) for b in widths)
        self.head = nn.Linear(widths[-1], out_dim)
        self.out_dim = out_dim

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        x = points.transpose(1, 2)
        for conv, norm in zip(self.mlps, self.norms):
            x = F.relu(norm(conv(x)))
        x = x.amax(dim=-1)
        return F.normalize(self.head(x), dim=-1)


def chamfer(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    d = torch.cdist(a, b)
    return d.min(dim=1).values.mean() + d.min(dim=2).values.mean()


def random_rotate(points: torch.Tensor) -> torch.Tensor:
    theta = torch.rand(points.size(0), device=points.device) * 6.2831853
    c, s = theta.cos(), theta.sin()
    zero, one = torch.zeros_like(c), torch.ones_like(c)
    rot = torch.stack([c, -s, zero, s, c, zero, zero, zero, one], dim=-1).view(-1, 3, 3)
    return points @ rot
