import torch
from torch import nn

FACTORIES = {"linear": lambda: nn.Linear(4, 4), "mlp": lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))}


def build(kind, lr=0.01):
    model = FACTORIES[kind]()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    return model, optimizer, torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
