"""Energy based model trained with Langevin negatives from a persistent buffer."""
import argparse
import logging
import random

import torch
from torch import nn

logger = logging.getLogger("ebm")


class Energy(nn.Module):
    def __init__(self, dim=2, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class SampleBuffer:
    def __init__(self, size, dim):
        self.data = torch.rand(size, dim) * 2 - 1

    def get(self, n, fresh=0.05):
        idx = torch.randint(0, len(self.data), (n,))
        x = self.data[idx].clone()
        new = torch.rand(n) < fresh
        x[new] = torch.rand(int(new.sum()), x.size(1)) * 2 - 1
        return idx, x

    def put(self, idx, x):
        self.data[idx] = x.detach().cpu()


class Langevin:
    def __init__(self, energy, steps=8, size=0.1, noise=0.01):
        self.energy, self.steps, self.size, self.noise = energy, steps, size, noise

    def __call__(self, x):
        flags = [p.requires_grad for p in self.energy.parameters()]
        self.energy.requires_grad_(False)
        x = x.clone().requires_grad_(True)
        for _ in range(self.steps):
            grad, = torch.autograd.grad(self.energy(x).sum(), x)
            with torch.no_grad():
                x.sub_(self.size * grad.clamp(-1, 1)).add_(self.noise * torch.randn_like(x))
                x.clamp_(-2, 2)
        for p, f in zip(self.energy.parameters(), flags):
            p.requires_grad_(f)
        return x.detach()


def two_moons(n):
    t = torch.rand(n) * 3.1416
    side = torch.tensor([random.choice([-1.0, 1.0]) for _ in range(n)])
    return torch.stack([side * torch.cos(t) + 0.5 * (side < 0), side * torch.sin(t)], dim=1) * 0.8


def train(args, device):
    energy = Energy().to(device)
    sampler = Langevin(energy, steps=args.langevin)
    buffer = SampleBuffer(200, 2)
    optimizer = torch.optim.Adam(energy.parameters(), lr=1e-3, betas=(0.0, 0.999))
    for step in range(args.steps):
        real = two_moons(args.batch_size).to(device)
        idx, start = buffer.get(args.batch_size)
        fake = sampler(start.to(device))
        buffer.put(idx, fake)
        e_real, e_fake = energy(real), energy(fake)
        reg = (e_real.pow(2) + e_fake.pow(2)).mean()
        loss = e_real.mean() - e_fake.mean() + 0.1 * reg
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(energy.parameters(), 0.1)
        optimizer.step()
        logger.info("%d %.4f gap %.4f", step, loss.item(), (e_real.mean() - e_fake.mean()).item())
    return energy


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--langevin", type=int, default=5)
    args = p.parse_args()
    train(args, torch.device("cuda" if torch.cuda.is_available() else "cpu"))


if __name__ == "__main__":
    main()
