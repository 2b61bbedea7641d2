import argparse

import torch
from torch import nn
import torch.nn.functional as F

from ema import WeightAverage
from manual import Plateau, SignSGD


class Regressor(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.w = nn.Parameter(0.1 * torch.randn(dim))
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x @ self.w + self.b


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=6)
    p.add_argument("--lr", type=float, default=0.02)
    p.add_argument("--wd", type=float, default=0.0)
    return p.parse_args()


args = parse()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Regressor().to(device)
optimizer = SignSGD(model.parameters(), lr=args.lr, weight_decay=args.wd)
plateau, ema = Plateau(optimizer), WeightAverage(model.parameters())
tracked = list(model.parameters())
before = [p.detach().clone() for p in tracked]
truth = torch.linspace(-1, 1, 6, device=device)
for step in range(args.steps):
    x = torch.randn(32, 6, device=device)
    loss = F.mse_loss(model(x), x @ truth + 0.5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update()
    plateau.step(loss.item())
    print(step, round(loss.item(), 4), round(ema.distance(), 4))
