import math

import torch
import torch.nn as nn


class Coupling(nn.Module):
    def __init__(self, dim, mask):
        super().__init__()
        self.register_buffer("mask", mask)
        self.s = nn.Sequential(nn.Linear(dim, 32), nn.Tanh(), nn.Linear(32, dim), nn.Tanh())
        self.t = nn.Sequential(nn.Linear(dim, 32), nn.Tanh(), nn.Linear(32, dim))

    def forward(self, x):
        kept = x * self.mask
        s = self.s(kept) * (1 - self.mask)
        t = self.t(kept) * (1 - self.mask)
        return kept + (1 - self.mask) * (x * s.exp() + t), s.sum(-1)

    def inverse(self, y):
        kept = y * self.mask
        s, t = self.s(kept), self.t(kept)
        return kept + (1 - self.mask) * (y - t) * torch.exp(-s)


class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _init(self, x):
        self.loc.copy_(x.mean(0))
        self.log_scale.copy_(-(x.std(0) + 1e-6).log())
        self.ready.fill_(True)

    def forward(self, x):
        if self.training and not self.ready:
            self._init(x)
        return (x - self.loc) * self.log_scale.exp(), self.log_scale.sum().expand(x.shape[0])

    def inverse(self, y):
        return y * torch.exp(-self.log_scale) + self.loc


class Flow(nn.Module):
    def __init__(self, dim=2, depth=4):
        super().__init__()
        base = torch.arange(dim) % 2
        steps = []
        for i in range(depth):
            steps += [ActNorm(dim), Coupling(dim, (base if i % 2 else 1 - base).float())]
        self.steps = nn.ModuleList(steps)

    def log_prob(self, x):
        total = x.new_zeros(x.shape[0])
        for step in self.steps:
            x, ld = step(x)
            total = total + ld
        return total - 0.5 * (x ** 2 + math.log(2 * math.pi)).sum(-1)

    @torch.no_grad()
    def sample(self, n):
        p = next(self.parameters())
        x = torch.randn(n, 2, dtype=p.dtype, device=p.device)
        for step in reversed(self.steps):
            x = step.inverse(x)
        return x


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    flow = Flow().to(device)
    opt = torch.optim.Adam(flow.parameters(), lr=5e-3)
    for it in range(25):
        z = torch.randn(128, 2)
        x = torch.stack([z[:, 0], z[:, 0] ** 2 + 0.3 * z[:, 1]], -1).to(device)
        loss = -flow.log_prob(x).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    flow.eval()
    print(loss.item(), flow.sample(100).cpu().numpy().mean(0))
