import argparse

import torch
from torch import nn

from config import SamplerConfig
from scheduler import DDIMScheduler


class Denoiser(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.inp = nn.Conv2d(1, width, 3, padding=1)
        self.time = nn.Embedding(100, width)
        self.out = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x) + self.time(t)[:, :, None, None]
        return self.out(h.relu())


class Pipeline:
    def __init__(self, cfg: SamplerConfig):
        self.cfg = cfg
        self.model = Denoiser().to(cfg.device).eval()
        self.scheduler = DDIMScheduler(cfg.steps, cfg.device)
        self.generator = torch.Generator().manual_seed(cfg.seed)

    @torch.no_grad()
    def __call__(self, n):
        x = torch.randn((n, *self.cfg.shape), generator=self.generator, device=self.cfg.device)
        for t in self.scheduler.timesteps:
            ts = torch.full((n,), t, device=x.device)
            x = self.scheduler.step(self.model(x, ts), t, x, self.cfg.eta, self.generator)
        return x.clamp(-1, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=4)
    images = Pipeline(SamplerConfig())(parser.parse_args().n)
    print(tuple(images.shape))
