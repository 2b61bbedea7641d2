import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


def mlp(i, o, h=32):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o))


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = mlp(obs, 2 * act)

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, -1)
        dist = Normal(mu, log_std.clamp(-5, 2).exp())
        u = dist.rsample()
        a = torch.tanh(u)
        logp = (dist.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1)
        return a, logp


class SAC:
    def __init__(self, obs, act, device, gamma=0.99, tau=0.005, alpha=0.2):
        self.actor = Actor(obs, act).to(device)
        self.q = mlp(obs + act, 1).to(device)
        self.q_targ = copy.deepcopy(self.q).requires_grad_(False)
        self.pi_opt = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.q_opt = torch.optim.Adam(self.q.parameters(), lr=3e-4)
        self.gamma, self.tau, self.alpha = gamma, tau, alpha

    def critic_loss(self, s, a, r, s2):
        with torch.no_grad():
            a2, logp2 = self.actor(s2)
            y = r + self.gamma * (self.q_targ(torch.cat([s2, a2], -1)).squeeze(-1) - self.alpha * logp2)
        return F.mse_loss(self.q(torch.cat([s, a], -1)).squeeze(-1), y)

    def actor_loss(self, s):
        a, logp = self.actor(s)
        return (self.alpha * logp - self.q(torch.cat([s, a], -1)).squeeze(-1)).mean()

    def update(self, s, a, r, s2):
        q_loss = self.critic_loss(s, a, r, s2)
        pi_loss = self.actor_loss(s)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()
        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        self.soft_update()
        return q_loss.item(), pi_loss.item()

    @torch.no_grad()
    def soft_update(self):
        for p, t in zip(self.q.parameters(), self.q_targ.parameters()):
            t.lerp_(p, self.tau)
