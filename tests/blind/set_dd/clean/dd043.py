"""Score-based sampler whose pictures are the same on every machine: noise is always drawn on the host."""
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
noise_rng = torch.Generator().manual_seed(2024)
order_rng = torch.Generator().manual_seed(7)


def host_noise(shape):
    return torch.randn(shape, generator=noise_rng).to(device)


class ScoreNet(nn.Module):
    def __init__(self, dim=2, width=64):
        super().__init__()
        self.freq = nn.Parameter(torch.randn(8) * 4, requires_grad=False)
        self.net = nn.Sequential(nn.Linear(dim + 16, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, dim))

    def forward(self, x, sigma):
        e = sigma.log()[:, None] * self.freq
        return self.net(torch.cat([x, e.sin(), e.cos()], dim=-1)) / sigma[:, None]


angle = torch.rand(256) * 6.2832
points = torch.stack([angle.cos(), angle.sin()], -1) + 0.05 * torch.randn(256, 2)
dataset = TensorDataset(points)
loader = DataLoader(dataset, batch_size=64, sampler=RandomSampler(dataset, generator=order_rng))

net = ScoreNet().to(device)
opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=2e-3)
lo, hi = 0.01, 2.0

for epoch in range(3):
    for (x,) in loader:
        x = x.to(device)
        sigma = lo * (hi / lo) ** torch.rand(len(x), generator=noise_rng).to(device)
        eps = host_noise(x.shape)
        pred = net(x + sigma[:, None] * eps, sigma)
        loss = ((pred * sigma[:, None] + eps) ** 2).sum(-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())


@torch.no_grad()
def annealed_langevin(n, levels=6, steps=3, scale=0.1):
    x = host_noise((n, 2)) * hi
    for s in torch.logspace(math.log10(hi), math.log10(lo), levels).tolist():
        sigma = torch.full((n,), s, device=device)
        step = scale * s ** 2
        for _ in range(steps):
            x = x + step * net(x, sigma) + (2 * step) ** 0.5 * host_noise(x.shape)
    return x


print("mean radius", annealed_langevin(32).norm(dim=-1).mean().item())
