"""REINFORCE on a two-armed contextual bandit."""
from dataclasses import dataclass

import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class Transition:
    state: torch.Tensor
    action: int
    reward: float
    log_prob: torch.Tensor


class Policy(nn.Module):
    def __init__(self, obs=3, actions=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, actions))

    def forward(self, s):
        return Categorical(logits=self.net(s))

    @torch.no_grad()
    def act(self, s):
        dist = self(s)
        action = dist.sample()
        return action.item(), dist.log_prob(action)
