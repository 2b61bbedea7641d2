"""Mixture density network with bounded scales."""
import math

import torch
from torch import nn


class MDN(nn.Module):
    """Predicts a mixture of Gaussians for one target."""

    def __init__(self, inputs=3, hidden=16, k=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh())
        self.logits = nn.Linear(hidden, k)
        self.mean = nn.Linear(hidden, k)
        self.log_scale = nn.Linear(hidden, k)

    def scales(self, h):
        s = self.log_scale(h).exp()
        s.data.add_(0.5)
        return s

    def forward(self, x):
        h = self.body(x)
        return self.logits(h).log_softmax(-1), self.mean(h), self.scales(h)


def mdn_nll(params, y):
    log_pi, mu, sigma = params
    z = (y.unsqueeze(-1) - mu) / sigma
    comp = -0.5 * z ** 2 - sigma.log() - 0.5 * math.log(2 * math.pi)
    return -torch.logsumexp(log_pi + comp, dim=-1).mean()


class Fitter:
    def __init__(self, model, lr=5e-3):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def step(self, x, y):
        loss = mdn_nll(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()

    def run(self, n=4):
        losses = []
        for _ in range(n):
            x = torch.rand(32, 3)
            losses.append(self.step(x, torch.sin(3 * x.sum(1))))
        return torch.stack(losses)


model = MDN()
print(Fitter(model).run().tolist())
