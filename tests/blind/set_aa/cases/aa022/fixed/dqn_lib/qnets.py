import torch
import torch.nn as nn


class DuelingQ(nn.Module):
    def __init__(self, obs, actions, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU())
        self.value, self.adv = nn.Linear(hidden, 1), nn.Linear(hidden, actions)

    def forward(self, obs):
        h = self.body(obs)
        adv = self.adv(h)
        return self.value(h) + adv - adv.mean(-1, keepdim=True)

    def act(self, obs, eps):
        if torch.rand(()) < eps:
            return int(torch.randint(self.adv.out_features, ()))
        with torch.no_grad():
            return int(self(obs.to(self.adv.weight.device)).argmax(-1))
