import torch
import torch.nn as nn


def mlp(*sizes):
    layers = []
    for i, o in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class GaussianPolicy(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.body = mlp(obs, 32, 2 * act)
        self.register_buffer("limit", torch.ones(act) * 2.0)

    def forward(self, s):
        mu, log_std = self.body(s).chunk(2, dim=-1)
        dist = torch.distributions.Normal(mu, log_std.clamp(-5, 2).exp())
        u = dist.rsample()
        a = torch.tanh(u)
        logp = (dist.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1)
        return a * self.limit, logp


class TwinQ(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.q1, self.q2 = mlp(obs + act, 32, 1), mlp(obs + act, 32, 1)

    def forward(self, s, a):
        sa = torch.cat([s, a], -1)
        return self.q1(sa).squeeze(-1), self.q2(sa).squeeze(-1)
