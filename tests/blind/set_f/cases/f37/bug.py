"""The update of proximal policy optimisation."""
from collections import defaultdict
from dataclasses import dataclass

import torch
from torch import nn
from torch.distributions import Normal


@dataclass
class PPOConfig:
    clip: float = 0.2
    epochs: int = 2
    minibatch: int = 8
    vf_coef: float = 0.5
    ent_coef: float = 0.01
    max_norm: float = 0.5


class GaussianPolicy(nn.Module):
    def __init__(self, obs, act, h=16):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(obs, h), nn.Tanh(), nn.Linear(h, act))
        self.log_std = nn.Parameter(torch.zeros(act))
        self.critic = nn.Sequential(nn.Linear(obs, h), nn.Tanh(), nn.Linear(h, 1))

    def evaluate(self, obs, act):
        dist = Normal(self.mu(obs), self.log_std.exp())
        return dist.log_prob(act).sum(-1), dist.entropy().sum(-1), self.critic(obs).squeeze(-1)


class PPO:
    def __init__(self, policy, cfg=PPOConfig(), lr=3e-4):
        self.policy, self.cfg = policy, cfg
        self.optimizer = torch.optim.Adam(policy.parameters(), lr=lr, eps=1e-5)
        self.stats = defaultdict(list)

    def minibatches(self, n):
        for _ in range(self.cfg.epochs):
            yield from torch.randperm(n).split(self.cfg.minibatch)

    def update(self, obs, act, old_logp, adv, ret):
        for idx in self.minibatches(len(obs)):
            logp, ent, value = self.policy.evaluate(obs[idx], act[idx])
            ratio = (logp - old_logp[idx]).exp()
            a = adv[idx]
            pg = -torch.min(ratio * a, ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip) * a).mean()
            vf = (value - ret[idx]).pow(2).mean()
            loss = pg + self.cfg.vf_coef * vf - self.cfg.ent_coef * ent.mean()
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.policy.parameters(), self.cfg.max_norm)
            self.optimizer.step()
            self.stats["policy"].append(pg)
            self.stats["value"].append(vf)
            self.stats["entropy"].append(ent.mean())

    def report(self):
        return {k: sum(v) / len(v) for k, v in self.stats.items()}
