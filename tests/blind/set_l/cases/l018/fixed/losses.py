import torch
import torch.nn as nn
import torch.nn.functional as F


class NTXent(nn.Module):
    def __init__(self, temperature=0.5):
        super().__init__()
        self.temperature = temperature

    def forward(self, a, b):
        n = a.size(0)
        z = F.normalize(torch.cat([a, b]), dim=1)
        sim = z @ z.t() / self.temperature
        eye = torch.eye(2 * n, dtype=torch.bool, device=sim.device)
        sim = sim.masked_fill(eye, -1e9)
        target = torch.arange(2 * n, device=sim.device).roll(n)
        return F.cross_entropy(sim, target)
