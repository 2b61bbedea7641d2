import torch
from torch import nn


class QNetwork(nn.Module):
    def __init__(self, obs, actions, hidden=24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.head = nn.Linear(hidden, actions)

    def forward(self, obs):
        return self.head(self.trunk(obs))
