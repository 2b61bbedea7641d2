from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class QuantConfig:
    levels: int = 8
    hidden: int = 32
    lr: float = 1e-2


def codebook(levels):
    half = levels // 2
    return torch.arange(-half, half, dtype=torch.float32)


class SoftQuantizer(nn.Module):
    def __init__(self, cfg: QuantConfig):
        super().__init__()
        self.centers = nn.Parameter(codebook(cfg.levels))
        self.log_sharp = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        d = (x.unsqueeze(-1) - self.centers) ** 2
        w = torch.softmax(-d * self.log_sharp.exp(), dim=-1)
        return (w * self.centers).sum(-1)


class Coder(nn.Module):
    def __init__(self, cfg: QuantConfig):
        super().__init__()
        self.enc = nn.Linear(10, cfg.hidden)
        self.q = SoftQuantizer(cfg)
        self.dec = nn.Linear(cfg.hidden, 10)

    def forward(self, x):
        return self.dec(self.q(self.enc(x)))


if __name__ == "__main__":
    cfg = QuantConfig()
    net = Coder(cfg)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    data = torch.randn(64, 10)
    for step in range(5):
        opt.zero_grad()
        rec = net(data)
        loss = (rec - data).pow(2).mean()
        loss.backward()
        opt.step()
    print(f"{loss.item():.4f}")
