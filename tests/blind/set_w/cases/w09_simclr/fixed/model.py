import torch
from torch import nn
import torch.nn.functional as F


class SimCLR(nn.Module):
    def __init__(self, din=32, dim=24, freeze_stem=True):
        super().__init__()
        self.stem = nn.Linear(din, 48)
        self.body = nn.Sequential(nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, dim))
        self.proj = nn.Sequential(nn.ReLU(), nn.Linear(dim, 12))
        if freeze_stem:
            self.stem.requires_grad_(False)

    def trainable(self):
        return [p for p in self.parameters() if p.requires_grad]

    def forward(self, x):
        return F.normalize(self.proj(self.body(self.stem(x))), dim=-1)


def nt_xent(a, b, temperature=0.2):
    z = torch.cat([a, b])
    sim = z @ z.t() / temperature
    sim = sim.masked_fill(torch.eye(len(z), dtype=torch.bool, device=z.device), float("-inf"))
    n = len(a)
    target = torch.arange(2 * n, device=z.device).roll(n)
    return F.cross_entropy(sim, target)
