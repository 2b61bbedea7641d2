import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

from functions import grad_reverse


@dataclass
class Schedule:
    steps: int = 5
    gamma: float = 10.0

    def strength(self, step):
        return 2 / (1 + math.exp(-self.gamma * step / self.steps)) - 1


class DANN(nn.Module):
    def __init__(self, dim=8, classes=2):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(dim, 24), nn.ReLU())
        self.label = nn.Linear(24, classes)
        self.domain = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x, strength):
        f = self.features(x)
        return self.label(f), self.domain(grad_reverse(f, strength)).squeeze(1)


def step_loss(model, src, y, tgt, strength):
    logits, d_src = model(src, strength)
    _, d_tgt = model(tgt, strength)
    dom = torch.cat([d_src, d_tgt])
    truth = torch.cat([torch.zeros_like(d_src), torch.ones_like(d_tgt)])
    return F.cross_entropy(logits, y) + F.binary_cross_entropy_with_logits(dom, truth)


def main():
    sched, model = Schedule(), DANN()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(sched.steps):
        src = torch.randn(24, 8)
        loss = step_loss(model, src, (src[:, 0] > 0).long(), torch.randn(24, 8) + 1, sched.strength(step))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
