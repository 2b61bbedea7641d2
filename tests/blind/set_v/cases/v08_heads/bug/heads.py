import torch
from torch import nn


def mlp(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 16), nn.ReLU(), nn.Linear(16, n_out))


class MultiTask(nn.Module):
    def __init__(self, trunk, tasks):
        super().__init__()
        self.trunk = trunk
        self.heads = {}
        for name, n_out in tasks.items():
            self.add_head(name, n_out)

    def add_head(self, name, n_out):
        self.heads[name] = mlp(self.trunk.out_features, n_out)

    def forward(self, x, task):
        z = torch.relu(self.trunk(x))
        return self.heads[task](z)
