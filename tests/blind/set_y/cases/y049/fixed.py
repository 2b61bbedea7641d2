import math

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, dim, hidden=32, flip=False):
        super().__init__()
        self.flip, half = flip, dim // 2
        self.net = nn.Sequential(nn.Linear(half, hidden), nn.Tanh(), nn.Linear(hidden, 2 * half))

    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        if self.flip:
            a, b = b, a
        log_s, t = self.net(a).chunk(2, dim=1)
        log_s = torch.tanh(log_s)
        b = b * log_s.exp()
        b = b + t
        parts = (b, a) if self.flip else (a, b)
        return torch.cat(parts, dim=1), log_s.sum(1)


class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.loc, self.log_scale = nn.Parameter(torch.zeros(dim)), nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return (x + self.loc) * self.log_scale.exp(), self.log_scale.sum().expand(x.size(0))


class RealNVP(nn.Module):
    def __init__(self, dim=4, depth=3):
        super().__init__()
        self.steps = nn.ModuleList()
        for i in range(depth):
            self.steps.append(ActNorm(dim))
            self.steps.append(Coupling(dim, flip=i % 2 == 1))

    def log_prob(self, x):
        logdet = x.new_zeros(x.size(0))
        for step in self.steps:
            x, ld = step(x)
            logdet = logdet + ld
        return -0.5 * (x.pow(2) + math.log(2 * math.pi)).sum(1) + logdet


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    flow = RealNVP().to(device)
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
    for it in range(5):
        x = torch.randn(64, 4, device=device)
        x = torch.cat([x[:, :2], x[:, :2] ** 2 + x[:, 2:]], dim=1)
        nll = -flow.log_prob(x).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
        print(it, nll.item())
