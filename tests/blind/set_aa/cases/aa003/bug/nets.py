import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 32))
        self.projector = nn.Sequential(nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        return F.normalize(self.projector(self.backbone(x)), dim=-1)


def nt_xent(za, zb, temp):
    z = torch.cat([za, zb])
    sim = z @ z.t() / temp
    eye = torch.eye(len(z), dtype=torch.bool, device=z.device)
    sim = sim.masked_fill(eye, float("-inf"))
    n = len(za)
    target = torch.arange(2 * n, device=z.device).roll(n)
    return F.cross_entropy(sim, target), (za * zb).sum(1).mean()
