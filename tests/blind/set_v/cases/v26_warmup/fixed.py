import math

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


def cosine(warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))

    return factor


class Looper:
    def __init__(self, net, total, lr=0.1, warmup=3):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)
        self.sched = LambdaLR(self.opt, cosine(warmup, total))
        self.rates = []

    def compute(self, x, y):
        return nn.functional.mse_loss(self.net(x), y)

    def advance(self):
        self.opt.step()
        self.sched.step()
        self.opt.zero_grad(set_to_none=True)

    def __call__(self, data):
        for x, y in data:
            loss = self.compute(x, y)
            loss.backward()
            self.advance()
            self.rates.append(self.opt.param_groups[0]["lr"])
        return loss.item()


def synthetic(n):
    for _ in range(n):
        x = torch.randn(16, 7)
        yield x, x.abs().mean(1, keepdim=True)


net = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 1))
loop = Looper(net, total=10)
print(loop(synthetic(10)), [round(r, 3) for r in loop.rates])
