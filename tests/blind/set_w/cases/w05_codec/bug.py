"""Tiny learned image codec: analysis / synthesis transform and a discretised logistic prior."""
from dataclasses import dataclass
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Config:
    latent: int = 8
    lam: float = 0.01
    steps: int = 3
    lr: float = 1e-3


class BitEstimator(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(channels))
        self.centres = torch.linspace(-1, 1, channels).view(1, -1, 1, 1)

    def cdf(self, v):
        s = F.softplus(self.scale).view(1, -1, 1, 1) + 1e-3
        return torch.sigmoid((v - self.centres) / s)

    def forward(self, y):
        p = self.cdf(y + 0.5) - self.cdf(y - 0.5)
        return -torch.log2(p.clamp_min(1e-9)).sum()


class Codec(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        c = cfg.latent
        self.analysis = nn.Sequential(nn.Conv2d(3, 16, 5, 2, 2), nn.GELU(), nn.Conv2d(16, c, 5, 2, 2))
        self.synthesis = nn.Sequential(nn.ConvTranspose2d(c, 16, 4, 2, 1), nn.GELU(), nn.ConvTranspose2d(16, 3, 4, 2, 1))
        self.prior = BitEstimator(c)

    def forward(self, img):
        y = self.analysis(img)
        if self.training:
            y = y + torch.empty_like(y).uniform_(-0.5, 0.5)
        else:
            y = y.round()
        return self.synthesis(y), self.prior(y) / img[:, 0].numel()


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.codec = Codec(cfg).to(self.device)
        self.opt = torch.optim.Adam(self.codec.parameters(), lr=cfg.lr)

    def step(self, img):
        rec, bpp = self.codec(img.to(self.device))
        loss = bpp * self.cfg.lam + F.mse_loss(rec, img.to(self.device))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def run(self):
        for _ in range(self.cfg.steps):
            self.step(torch.rand(2, 3, 16, 16))


if __name__ == "__main__":
    Trainer(Config()).run()
