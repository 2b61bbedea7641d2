import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_act, hidden=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, n_act)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def discounted(rewards, gamma):
    out, acc = [], 0.0
    for r in reversed(rewards):
        acc = r + gamma * acc
        out.insert(0, acc)
    return torch.tensor(out)
