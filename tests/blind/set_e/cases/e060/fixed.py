from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class SamplerConfig:
    steps: int = 4
    seed: int = 11
    churn: float = 0.1


class Karras:
    def __init__(self, net, cfg, device):
        self.net, self.cfg, self.device = net, cfg, device
        self.rng = torch.Generator(device).manual_seed(cfg.seed)

    def sigmas(self, lo=0.02, hi=10.0, rho=7):
        ramp = torch.linspace(0, 1, self.cfg.steps, device=self.device)
        s = (hi ** (1 / rho) + ramp * (lo ** (1 / rho) - hi ** (1 / rho))) ** rho
        return torch.cat([s, s.new_zeros(1)])

    @torch.no_grad()
    def __call__(self, n, dim):
        s = self.sigmas()
        x = torch.randn(n, dim, generator=self.rng, device=self.device) * s[0]
        for a, b in zip(s[:-1], s[1:]):
            d = (x - self.net(x)) / a
            x = x + d * (b - a)
        return x


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sampler = Karras(nn.Linear(4, 4).to(device).eval(), SamplerConfig(), device)
    print(sampler(3, 4).std().item())
