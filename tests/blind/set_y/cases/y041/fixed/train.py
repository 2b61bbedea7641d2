from dataclasses import dataclass, field

import torch
from torch import nn

from ema import EMA


@dataclass
class Options:
    lr: float = 2e-3
    steps: int = 6
    hidden: int = 32
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class VelocityField(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=-1))


def flow_matching_loss(model, x1):
    x0 = torch.randn_like(x1)
    t = torch.rand(x1.size(0), 1, device=x1.device)
    xt = (1 - t) * x0 + t * x1
    return (model(xt, t) - (x1 - x0)).pow(2).mean()


def main(opt):
    model = VelocityField(2, opt.hidden)
    model.to(opt.device)
    ema = EMA(model, 0.95)
    optim = torch.optim.Adam(model.parameters(), lr=opt.lr)
    for step in range(opt.steps):
        x1 = torch.randn(64, 2, device=opt.device) * 0.2 + 1
        loss = flow_matching_loss(model, x1)
        optim.zero_grad()
        loss.backward()
        optim.step()
        ema.update()
    ema.apply()
    with torch.no_grad():
        print(flow_matching_loss(model, torch.randn(64, 2, device=opt.device)).item())
    ema.restore()


if __name__ == "__main__":
    main(Options())
