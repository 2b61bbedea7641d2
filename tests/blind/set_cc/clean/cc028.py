"""Ancestral sampling with noise that is the same on every machine: it is drawn on the host."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=12)
parser.add_argument("--batch", type=int, default=4)
args = parser.parse_args()


class Eps(nn.Module):
    def __init__(self, dim=10, hidden=48):
        super().__init__()
        self.t = nn.Sequential(nn.Linear(1, hidden), nn.SiLU())
        self.x = nn.Linear(dim, hidden)
        self.y = nn.Linear(hidden, dim)

    def forward(self, x, t):
        return self.y(torch.tanh(self.x(x) + self.t(t)))


def host_noise(shape, generator, device):
    return torch.randn(shape, generator=generator).to(device)


def sample(net, shape, steps, generator):
    device = next(net.parameters()).device
    betas = torch.linspace(1e-3, 0.2, steps)
    alphas = 1 - betas
    bars = alphas.cumprod(0)
    x = host_noise(shape, generator, device)
    for i in range(steps - 1, -1, -1):
        t = torch.full((shape[0], 1), i / steps, device=device)
        eps = net(x, t)
        x = (x - betas[i] / (1 - bars[i]).sqrt() * eps) / alphas[i].sqrt()
        if i > 0:
            x = x + betas[i].sqrt() * host_noise(shape, generator, device)
    return x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Eps().to(device).eval()
rng = torch.Generator().manual_seed(args.seed)
with torch.no_grad():
    first = sample(net, (args.batch, 10), args.steps, rng)
    second = sample(net, (args.batch, 10), args.steps, rng.manual_seed(args.seed))
print("repeatable:", torch.allclose(first, second))
