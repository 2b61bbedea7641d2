import torch
import torch.nn as nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, n_actions))

    def dist(self, obs):
        return Categorical(logits=self.net(obs))

    @torch.no_grad()
    def act(self, obs):
        pi = self.dist(obs)
        a = pi.sample()
        return a.item(), pi.log_prob(a), pi.entropy()
