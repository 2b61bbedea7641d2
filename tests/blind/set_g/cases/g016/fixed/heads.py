import torch.nn as nn


def make_head(kind, width):
    if kind == "regression":
        return nn.Linear(width, 1)
    return nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3))


class MultiTask(nn.Module):
    def __init__(self, tasks, n_in=8, width=16):
        super().__init__()
        self.tasks = tasks
        self.trunk = nn.Sequential(nn.Linear(n_in, width), nn.ReLU())
        self.heads = nn.ModuleDict({name: make_head(kind, width) for name, kind in tasks.items()})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}
