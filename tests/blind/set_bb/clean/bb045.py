import random
from collections import deque

import torch
import torch.nn as nn


class Energy(nn.Module):
    def __init__(self, dim=2, hid=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hid), nn.SiLU(), nn.Linear(hid, hid), nn.SiLU(), nn.Linear(hid, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Sampler:
    """Langevin chains that start from a buffer of older samples kept on the host."""

    def __init__(self, energy, dim, size=256):
        self.energy, self.dim = energy, dim
        self.examples = deque((torch.rand(dim) * 4 - 2 for _ in range(64)), maxlen=size)

    @property
    def device(self):
        return next(self.energy.parameters()).device

    def initial(self, n):
        fresh = sum(random.random() < 0.05 for _ in range(n))
        rows = [torch.rand(self.dim) * 4 - 2 for _ in range(fresh)]
        rows += random.choices(self.examples, k=n - fresh)
        return torch.stack(rows).to(self.device)

    def langevin(self, x, steps=10, step_size=0.05, sigma=0.01):
        was = self.energy.training
        self.energy.eval()
        self.energy.requires_grad_(False)
        for _ in range(steps):
            x = (x + sigma * torch.randn_like(x)).detach().requires_grad_(True)
            grad = torch.autograd.grad(self.energy(x).sum(), x)[0]
            x = x - step_size * grad.clamp(-1, 1)
        self.energy.requires_grad_(True)
        self.energy.train(was)
        return x.detach()

    def sample(self, n):
        x = self.langevin(self.initial(n))
        self.examples.extend(x.cpu())
        return x


def spiral(n):
    t = torch.rand(n) * 3
    return torch.stack([t * torch.cos(3 * t), t * torch.sin(3 * t)], 1) / 2


def train(device, steps=6, reg=0.1):
    energy = Energy().to(device)
    sampler = Sampler(energy, 2)
    opt = torch.optim.Adam(energy.parameters(), lr=1e-3, betas=(0.0, 0.999))
    log = []
    for _ in range(steps):
        real = spiral(32).to(device)
        real += 0.005 * torch.randn_like(real)
        fake = sampler.sample(32)
        e_real, e_fake = energy(torch.cat([real, fake])).chunk(2)
        cd = e_real.mean() - e_fake.mean()
        loss = cd + reg * (e_real.square() + e_fake.square()).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(energy.parameters(), 0.1)
        opt.step()
        log.append(cd.item())
    return energy, log


random.seed(0)
energy, log = train(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
print([round(v, 4) for v in log])
