"""Domain-adversarial training with a gradient reversal layer."""
import math

import torch
from torch import nn
from torch.autograd import Function
import torch.nn.functional as F


class Reverse(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class ClippedExp(Function):
    """exp whose gradient does not explode for large inputs."""

    @staticmethod
    def forward(ctx, x, limit):
        y = x.clamp(max=limit).exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * y, None


class DANN(nn.Module):
    def __init__(self, d_in=8, d=16, classes=3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(d_in, d), nn.ReLU())
        self.label = nn.Linear(d, classes)
        self.domain = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))
        self.log_temp = nn.Parameter(torch.zeros(()))

    def forward(self, x, strength):
        h = self.features(x)
        logits = self.label(h) * ClippedExp.apply(self.log_temp, 3.0)
        return logits, self.domain(Reverse.apply(h, strength)).squeeze(1)


class Adaptation:
    def __init__(self, steps=10):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = DANN().to(self.device)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, lambda i: (1 + 10 * i / steps) ** -0.75)
        self.steps = steps

    def strength(self, i):
        return 2 / (1 + math.exp(-10 * i / self.steps)) - 1

    def batches(self):
        for _ in range(self.steps):
            y = torch.randint(0, 3, (12,))
            src = torch.randn(12, 8) + y[:, None]
            tgt = torch.randn(12, 8) + torch.randint(0, 3, (12, 1)) + 0.5
            yield (t.to(self.device) for t in (src, y, tgt))

    def run(self):
        self.net.train()
        for i, (src, y, tgt) in enumerate(self.batches()):
            logits, dom = self.net(torch.cat([src, tgt]), self.strength(i))
            where = torch.cat([torch.ones_like(y), torch.zeros_like(y)]).float()
            loss = F.cross_entropy(logits[: len(src)], y) + F.binary_cross_entropy_with_logits(dom, where)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.sched.step()
        return loss.item()


if __name__ == "__main__":
    print(Adaptation().run())
