"""Stochastic layers, Monte Carlo dropout and Langevin sampling."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class BayesLinear(nn.Module):
    def __init__(self, i, o, prior=1.0):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) / math.sqrt(i))
        self.rho = nn.Parameter(torch.full((o, i), -4.0))
        self.prior = prior

    @property
    def sigma(self):
        return F.softplus(self.rho)

    def forward(self, x):
        eps = torch.randn_like(self.mu)
        return F.linear(x, self.mu + self.sigma * eps)

    def kl(self):
        s = self.sigma
        return (math.log(self.prior) - s.log() + (s ** 2 + self.mu ** 2) / (2 * self.prior ** 2) - 0.5).sum()


class BayesNet(nn.Sequential):
    def __init__(self, d, h, k):
        super().__init__(BayesLinear(d, h), nn.ReLU(), nn.Dropout(0.2), BayesLinear(h, k))

    def elbo(self, x, y, n_data):
        kl = sum(m.kl() for m in self.modules() if isinstance(m, BayesLinear))
        return F.cross_entropy(self(x), y) + kl / n_data


@torch.no_grad()
def mc_predict(net, x, samples=5):
    was_training = net.training
    net.eval()
    for m in net.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    probs = torch.stack([net(x).softmax(-1) for _ in range(samples)])
    net.train(was_training)
    return probs.mean(0), probs.var(0).sum(-1)


def langevin(energy, x, steps=5, step_size=0.01):
    x = x.detach().clone()
    for _ in range(steps):
        x.requires_grad_(True)
        (grad,) = torch.autograd.grad(energy(x).sum(), x)
        with torch.no_grad():
            x = x - step_size * grad + math.sqrt(2 * step_size) * torch.randn_like(x)
    return x.detach()


def fit(net, x, y, epochs=3):
    net.train()
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    best, state = math.inf, None
    for _ in range(epochs):
        loss = net.elbo(x, y, len(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if loss.item() < best:
            best, state = loss.item(), {k: v.clone() for k, v in net.state_dict().items()}
    net.load_state_dict(state)
    return best
