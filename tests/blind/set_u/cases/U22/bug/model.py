import torch
import torch.nn as nn


class SetEncoder(nn.Module):
    """Deep sets over points of several clouds packed into one batch."""

    def __init__(self, dim=3, hidden=32, out=4):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.rho = nn.Sequential(nn.ReLU(), nn.Linear(hidden, out))

    def forward(self, points, batch_idx, num_sets):
        h = self.phi(points)
        pooled = h.new_zeros(num_sets, h.size(1))
        pooled = pooled.index_add(0, batch_idx, h)
        return self.rho(pooled)
