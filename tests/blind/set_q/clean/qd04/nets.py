import torch
import torch.nn as nn


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = mlp(obs, act)

    def forward(self, s):
        return torch.tanh(self.net(s))


class Twin(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.a, self.b = mlp(obs + act, 1), mlp(obs + act, 1)

    def forward(self, s, a):
        x = torch.cat([s, a], 1)
        return self.a(x), self.b(x)

    def q1(self, s, a):
        return self.a(torch.cat([s, a], 1))
