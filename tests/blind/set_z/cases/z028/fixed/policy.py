from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Step(NamedTuple):
    action: int
    log_prob: torch.Tensor
    value: torch.Tensor
    entropy: torch.Tensor


class ActorCritic(nn.Module):
    def __init__(self, obs_dim=4, actions=3, hidden=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)

    def act(self, obs: np.ndarray) -> Step:
        x = torch.as_tensor(obs, dtype=torch.float32, device=next(self.parameters()).device)
        dist, value = self(x)
        action = dist.sample()
        return Step(int(action), dist.log_prob(action), value, dist.entropy())
