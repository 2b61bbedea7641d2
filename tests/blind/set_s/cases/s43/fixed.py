import argparse
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class SamplerConfig:
    steps: int = 10
    guidance: float = 1.5
    shape: tuple = (3, 8, 8)


class NoisePredictor(nn.Module):
    def __init__(self, classes=4, channels=3):
        super().__init__()
        self.label = nn.Embedding(classes + 1, channels)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x, t, label):
        return self.conv(x + self.label(label)[:, :, None, None] * t)


class Sampler:
    def __init__(self, model, cfg, device):
        self.model = model.to(device).eval()
        self.cfg = cfg
        self.device = torch.device(device)

    @torch.inference_mode()
    def __call__(self, labels, seed=None):
        gen = None
        if seed is not None:
            gen = torch.Generator(device=self.device).manual_seed(seed)
        labels = labels.to(self.device)
        empty = torch.full_like(labels, 4)
        x = torch.randn(len(labels), *self.cfg.shape, generator=gen, device=self.device)
        for i in reversed(range(self.cfg.steps)):
            t = i / self.cfg.steps
            cond, free = self.model(x, t, labels), self.model(x, t, empty)
            x = x - (free + self.cfg.guidance * (cond - free)) / self.cfg.steps
        return x.clamp(-1, 1).cpu()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--per-class", type=int, default=1)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    sampler = Sampler(NoisePredictor(), SamplerConfig(), device)
    images = sampler(torch.arange(4).repeat_interleave(args.per_class), seed=args.seed)
    print(images.shape, images.mean().item())


if __name__ == "__main__":
    main()
