import torch
from torch import nn


def build(cfg):
    layers, last = [], cfg["inputs"]
    for width in cfg["hidden"]:
        layers += [nn.Linear(last, width), nn.BatchNorm1d(width), nn.ReLU()]
        last = width
    model = nn.Sequential(*layers, nn.Linear(last, cfg["outputs"]))
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg["lr"], momentum=0.9, nesterov=True)
    return model, optimizer
