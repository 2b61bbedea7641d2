"""Energy model on two dimensional data, contrastive divergence with Langevin samples."""
import argparse
import random

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--langevin-steps", type=int, default=5)
parser.add_argument("--step-size", type=float, default=0.1)
parser.add_argument("--iterations", type=int, default=4)
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

energy = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1)).to(device)
optimizer = torch.optim.Adam(energy.parameters(), lr=1e-3)
buffer = [torch.randn(2) for _ in range(128)]


def langevin(x, steps, size):
    energy.requires_grad_(False)
    for _ in range(steps):
        x = x.detach().requires_grad_(True)
        (g,) = torch.autograd.grad(energy(x).sum(), x)
        x = x - 0.5 * size * g + size ** 0.5 * 0.1 * torch.randn_like(x)
    energy.requires_grad_(True)
    return x.detach()


def start_points(n):
    chosen = random.sample(range(len(buffer)), n)
    points = torch.stack([buffer[i] for i in chosen])
    fresh = torch.rand(n, 1) < 0.05
    return chosen, torch.where(fresh, torch.randn(n, 2), points).to(device)


def ring(n):
    angle = torch.rand(n, device=device) * 6.2832
    return torch.stack([angle.cos(), angle.sin()], dim=1) * 2 + 0.05 * torch.randn(n, 2, device=device)


for it in range(args.iterations):
    chosen, x0 = start_points(32)
    negative = langevin(x0, args.langevin_steps, args.step_size)
    for i, row in zip(chosen, negative.cpu().unbind(0)):
        buffer[i] = row.clone()
    e_pos, e_neg = energy(ring(32)), energy(negative)
    loss = e_pos.mean() - e_neg.mean() + 0.01 * (e_pos.pow(2) + e_neg.pow(2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(it, loss.item())
