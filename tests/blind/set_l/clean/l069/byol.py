import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class BYOL(nn.Module):
    def __init__(self, encoder, dim, tau=0.98):
        super().__init__()
        self.online = encoder
        self.predictor = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.target = copy.deepcopy(encoder).requires_grad_(False)
        self.base_tau = self.tau = tau

    def set_progress(self, fraction):
        self.tau = 1 - (1 - self.base_tau) * (math.cos(math.pi * fraction) + 1) / 2

    @torch.no_grad()
    def update_target(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.mul_(self.tau).add_(o, alpha=1 - self.tau)
        for t, o in zip(self.target.buffers(), self.online.buffers()):
            t.copy_(o)

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return 2 - F.cosine_similarity(pa, tb).mean() - F.cosine_similarity(pb, ta).mean()
