import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self, dim=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def score(self, x):
        with torch.enable_grad():
            x = x.detach().requires_grad_(True)
            e = self(x).sum()
            e_grad, = torch.autograd.grad(e, x)
        return -e_grad
