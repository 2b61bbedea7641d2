import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs, acts, hidden=24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, acts)
        self.v = nn.Linear(hidden, 1)

    @property
    def device(self):
        return self.pi.weight.device

    def forward(self, obs):
        h = self.trunk(obs.to(self.device))
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)
