from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Config:
    lr: float = 1e-3
    steps: int = 3
    batch: int = 16
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class Dynamics(nn.Module):
    """Predicts mean and log variance of the next state."""

    def __init__(self, state=4, action=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(state + action, 32), nn.SiLU(), nn.Linear(32, 2 * state))

    def forward(self, s, a):
        mean, logvar = self.net(torch.cat([s, a], -1)).chunk(2, dim=-1)
        return s + mean, logvar.clamp(-6, 2)


def nll(mean, logvar, target):
    return 0.5 * ((target - mean).pow(2) * torch.exp(-logvar) + logvar).sum(-1)


def main(cfg=Config()):
    model = Dynamics().to(cfg.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for step in range(cfg.steps):
        s = torch.randn(cfg.batch, 4, device=cfg.device)
        a = torch.rand(cfg.batch, 2, device=cfg.device)
        nxt = s + 0.1 * torch.cat([a, a], dim=-1)
        mean, logvar = model(s, a)
        loss = nll(mean, logvar, nxt).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.mean().item())


if __name__ == "__main__":
    main()
