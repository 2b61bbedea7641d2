import copy

import torch
from torch import nn
from torch.nn import functional as F


def regression_loss(p, z):
    return 2 - 2 * F.cosine_similarity(p, z, dim=-1).mean()


class BYOL(nn.Module):
    def __init__(self, d=5, k=4, tau=0.99, lr=1e-3):
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.online = nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, k))
        self.target = copy.deepcopy(self.online)
        self.predictor = nn.Linear(k, k)
        self.tau = tau
        self.to(self.device)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr)

    def step(self, a, b):
        a, b = a.to(self.device), b.to(self.device)
        with torch.no_grad():
            z = self.target(b)
        loss = regression_loss(self.predictor(self.online(a)), z)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.update_target()
        return loss.item()

    @torch.no_grad()
    def update_target(self):
        for p, t in zip(self.online.parameters(), self.target.parameters()):
            t.mul_(self.tau).add_(p, alpha=1 - self.tau)
