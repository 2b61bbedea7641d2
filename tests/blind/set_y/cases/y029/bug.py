import argparse
import math

import torch
from torch import nn


class ScoreNet(nn.Module):
    def __init__(self, dim=2, hidden=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log().expand(x.size(0), 1)], dim=1)) / sigma


class Sampler:
    def __init__(self, model, device, seed=None, n_levels=8):
        self.model, self.device = model.eval(), device
        self.sigmas = torch.tensor([math.exp(v) for v in torch.linspace(1.0, -3.0, n_levels).tolist()], device=device)
        self.generator = None
        if seed is not None:
            self.generator = torch.Generator().manual_seed(seed)

    def noise(self, shape):
        return torch.randn(shape, generator=self.generator, device=self.device)

    @torch.no_grad()
    def sample(self, n, dim=2, inner=3, eps=0.05):
        x = self.noise((n, dim)) * self.sigmas[0]
        for sigma in self.sigmas:
            alpha = eps * (sigma / self.sigmas[-1]) ** 2
            for _ in range(inner):
                x = x + alpha * self.model(x, sigma) + (2 * alpha).sqrt() * self.noise(x.shape)
        return x.cpu()


def train(model, device, steps=15):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        x = torch.randn(64, 2, device=device) * 0.3 + 1.0
        sigma = torch.rand(1, device=device) * 2 + 0.05
        noise = torch.randn_like(x)
        loss = (sigma * model(x + sigma * noise, sigma) + noise).square().sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=None)
    ap.add_argument("--n", type=int, default=16)
    a = ap.parse_args()
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ScoreNet().to(dev)
    print("loss", train(net, dev))
    print(Sampler(net, dev, a.seed).sample(a.n).mean(0).tolist())
