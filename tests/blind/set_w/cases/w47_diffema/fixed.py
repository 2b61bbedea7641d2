import torch
from torch import nn
from dataclasses import dataclass


@dataclass
class Cfg:
    steps: int = 3
    T: int = 20
    decay: float = 0.99
    lr: float = 1e-3


class Averager:
    def __init__(self, params, decay):
        self.live = list(params)
        self.mean = [p.detach().clone() for p in self.live]
        self.decay = decay

    @torch.no_grad()
    def step(self):
        for m, p in zip(self.mean, self.live):
            m.mul_(self.decay).add_(p, alpha=1 - self.decay)

    @torch.no_grad()
    def copy_to(self, params):
        for m, p in zip(self.mean, params):
            p.copy_(m)


class Denoiser(nn.Module):
    def __init__(self, cfg, d=8):
        super().__init__()
        beta = torch.linspace(1e-3, 0.1, cfg.T)
        self.register_buffer("abar", torch.cumprod(1 - beta, 0))
        self.t = nn.Embedding(cfg.T, 16)
        self.net = nn.Sequential(nn.Linear(d + 16, 32), nn.SiLU(), nn.Linear(32, d))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.t(t)], -1))

    def loss(self, x0):
        t = torch.randint(len(self.abar), (len(x0),), device=x0.device)
        a = self.abar[t][:, None]
        eps = torch.randn_like(x0)
        return (self(a.sqrt() * x0 + (1 - a).sqrt() * eps, t) - eps).pow(2).mean()


class Job:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Denoiser(cfg)

    def setup(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device)
        self.avg = Averager(self.model.parameters(), self.cfg.decay)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=self.cfg.lr)
        return self

    def run(self, data):
        for _ in range(self.cfg.steps):
            x = data[torch.randint(len(data), (16,))].to(self.device)
            self.opt.zero_grad()
            loss = self.model.loss(x)
            loss.backward()
            self.opt.step()
            self.avg.step()
        self.avg.copy_to(self.model.parameters())
        return loss.item()


if __name__ == "__main__":
    print(Job(Cfg()).setup().run(torch.randn(64, 8)))
