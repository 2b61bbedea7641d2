import math

import torch
from torch import nn


class Pgd:
    def __init__(self, eps=0.1, step=0.03, iters=3):
        self.eps, self.step, self.iters = eps, step, iters

    def __call__(self, net, x, y):
        delta = torch.empty_like(x).uniform_(-self.eps, self.eps)
        for _ in range(self.iters):
            delta.requires_grad = True
            loss = nn.functional.cross_entropy(net(x + delta), y)
            (g,) = torch.autograd.grad(loss, delta)
            delta = (delta.detach() + self.step * g.sign()).clamp(-self.eps, self.eps)
        return x + delta


class Temperature:
    """Learned entropy weight as in soft actor critic."""

    def __init__(self, start=0.1, target=-1.0):
        self.log = torch.tensor(math.log(start), requires_grad=True)
        self.target = target
        self.opt = torch.optim.Adam([self.log], lr=1e-2)

    def update(self, logp):
        loss = -(self.log.exp() * (logp.detach() + self.target)).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return self.log.exp().item()


net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
attack, temp = Pgd(), Temperature()
losses = []
for _ in range(4):
    x, y = torch.randn(10, 6), torch.randint(0, 3, (10,))
    logits = net(attack(net, x, y))
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
    alpha = temp.update(logits.log_softmax(1).gather(1, y[:, None]))
curve = torch.tensor(losses)
print(curve.mean().item(), curve.std().item(), alpha)
