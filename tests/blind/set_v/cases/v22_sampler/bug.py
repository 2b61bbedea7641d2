from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class SampleConfig:
    steps: int = 4
    seed: int = 17
    shape: tuple = (2, 8)
    betas: list = field(default_factory=lambda: [0.02, 0.05, 0.1, 0.2])


class Denoiser(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.time = nn.Embedding(16, dim)
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.SiLU(), nn.Linear(32, dim))

    def forward(self, x, t):
        return self.net(x + self.time(t))


class Sampler:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.device = next(model.parameters()).device
        betas = torch.tensor(cfg.betas, device=self.device)
        self.betas = betas
        self.alpha_bar = (1 - betas).cumprod(0)
        self.gen = torch.Generator().manual_seed(cfg.seed)

    def noise(self, like=None):
        shape = self.cfg.shape if like is None else like.shape
        return torch.randn(shape, generator=self.gen, device=self.device)

    @torch.no_grad()
    def run(self):
        x = self.noise()
        for i in reversed(range(self.cfg.steps)):
            t = torch.full((x.size(0),), i, device=self.device)
            eps = self.model(x, t)
            b, ab = self.betas[i], self.alpha_bar[i]
            x = (x - b / (1 - ab).sqrt() * eps) / (1 - b).sqrt()
            if i:
                x = x + b.sqrt() * self.noise(x)
        return x


def main(cfg=SampleConfig()):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Denoiser().to(device).eval()
    return Sampler(model, cfg).run()


if __name__ == "__main__":
    print(main().std().item())
