import torch.nn as nn


class Dueling(nn.Module):
    def __init__(self, obs, acts):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 32), nn.ReLU())
        self.v, self.a = nn.Linear(32, 1), nn.Linear(32, acts)

    def forward(self, x):
        h = self.body(x)
        a = self.a(h)
        return self.v(h) + a - a.mean(1, keepdim=True)
