import torch.nn as nn


def mlp(sizes, act=nn.ReLU):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(act())
    return nn.Sequential(*layers)


class MultiTask(nn.Module):
    def __init__(self, dim, hidden, tasks):
        super().__init__()
        self.trunk = mlp([dim, hidden, hidden])
        self.heads = {name: mlp([hidden, hidden // 2, n]) for name, n in tasks.items()}

    def forward(self, x):
        z = self.trunk(x).relu()
        return {name: head(z) for name, head in self.heads.items()}
