import torch
from torch import nn
from torch.distributions import Normal


class GaussianAgent(nn.Module):
    def __init__(self, n_obs, hidden=32):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.log_std = nn.Parameter(torch.full((1,), -0.5))
        self.critic = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def dist(self, obs):
        return Normal(self.mu(obs).squeeze(-1), self.log_std.exp())

    def value(self, obs):
        return self.critic(obs).squeeze(-1)

    @torch.no_grad()
    def act(self, obs):
        d = self.dist(obs)
        a = d.sample()
        return a, d.log_prob(a), self.value(obs)

    def evaluate(self, obs, act):
        d = self.dist(obs)
        return d.log_prob(act), d.entropy(), self.value(obs)
