import torch
from torch import nn


class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.logs = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return (x + self.loc) * self.logs.exp(), self.logs.sum().expand(x.size(0))


class AffineCoupling(nn.Module):
    def __init__(self, dim, hidden=16, swap=False):
        super().__init__()
        self.norm = ActNorm(dim)
        self.net = nn.Sequential(nn.Linear(dim // 2, hidden), nn.Tanh(), nn.Linear(hidden, dim))
        self.swap = swap

    def forward(self, x):
        x, logdet = self.norm(x)
        a, b = x.chunk(2, dim=-1)
        if self.swap:
            a, b = b, a
        log_s, t = self.net(a).chunk(2, dim=-1)
        log_s = torch.tanh(log_s)
        b = b * log_s.exp()
        b = b + t
        return torch.cat([a, b], dim=-1), logdet + log_s.sum(-1)


class Flow(nn.Module):
    def __init__(self, dim, depth=4):
        super().__init__()
        self.steps = nn.ModuleList(AffineCoupling(dim, swap=bool(i % 2)) for i in range(depth))
        self.register_buffer("zero", torch.zeros(dim))
        self.register_buffer("one", torch.ones(dim))

    def log_prob(self, x):
        total = x.new_zeros(x.size(0))
        for step in self.steps:
            x, logdet = step(x)
            total = total + logdet
        base = torch.distributions.Normal(self.zero, self.one).log_prob(x).sum(-1)
        return base + total
