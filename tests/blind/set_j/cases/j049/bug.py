import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GradientReversal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output


class DANN(nn.Module):
    def __init__(self, d=10, classes=3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(d, 32), nn.ReLU())
        self.label = nn.Linear(32, classes)
        self.domain = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x, strength):
        f = self.features(x)
        return self.label(f), self.domain(GradientReversal.apply(f, strength)).squeeze(1)


def schedule(p):
    return 2 / (1 + math.exp(-10 * p)) - 1


def train(steps=6):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DANN().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step in range(steps):
        xs, xt = torch.randn(16, 10, device=device), torch.randn(16, 10, device=device) + 0.5
        ys = torch.randint(0, 3, (16,), device=device)
        lam = schedule(step / steps)
        cls, dom_s = model(xs, lam)
        _, dom_t = model(xt, lam)
        dom = torch.cat([dom_s, dom_t])
        dom_y = torch.cat([torch.zeros_like(dom_s), torch.ones_like(dom_t)])
        loss = F.cross_entropy(cls, ys) + F.binary_cross_entropy_with_logits(dom, dom_y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


print(train())
