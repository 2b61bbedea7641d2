import torch
from torch import nn


class Velocity(nn.Module):
    def __init__(self, dim=2, hid=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hid), nn.SiLU(), nn.Linear(hid, hid), nn.SiLU(), nn.Linear(hid, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, t.expand(len(x), 1)], -1))

    def loss(self, x1):
        x0 = torch.randn_like(x1)
        t = torch.rand(len(x1), 1, device=x1.device)
        xt = (1 - t) * x0 + t * x1
        return (self(xt, t) - (x1 - x0)).pow(2).mean()
