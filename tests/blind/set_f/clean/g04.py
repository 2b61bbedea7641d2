"""First and second order meta learning with functional weights."""
from typing import Dict

import torch
from torch import nn
from torch.func import functional_call


class Sine(nn.Module):
    def __init__(self, h=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, 1))

    def forward(self, x):
        return self.net(x)


def adapt(model, weights: Dict[str, torch.Tensor], x, y, lr=0.1, steps=2, first_order=False):
    for _ in range(steps):
        loss = (functional_call(model, weights, (x,)) - y).pow(2).mean()
        grads = torch.autograd.grad(loss, tuple(weights.values()), create_graph=not first_order)
        weights = {name: w - lr * g for (name, w), g in zip(weights.items(), grads)}
    return weights


class Meta:
    def __init__(self, model, lr=1e-2):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def task(self, n=8):
        phase = torch.rand(1) * 3
        xs, xq = torch.randn(n, 1), torch.randn(n, 1)
        return xs, (xs + phase).sin(), xq, (xq + phase).sin()

    def outer(self, tasks=3, first_order=False):
        total = 0
        for _ in range(tasks):
            xs, ys, xq, yq = self.task()
            fast = adapt(self.model, dict(self.model.named_parameters()), xs, ys, first_order=first_order)
            total = total + (functional_call(self.model, fast, (xq,)) - yq).pow(2).mean()
        self.opt.zero_grad()
        (total / tasks).backward()
        self.opt.step()
        return total.item() / tasks
