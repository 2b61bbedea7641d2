from typing import Any, Callable, Dict

import torch
from torch import nn

MODELS: Dict[str, Callable[..., nn.Module]] = {}
OPTIMIZERS = {
    "sgd": torch.optim.SGD,
    "adam": torch.optim.Adam,
    "adagrad": torch.optim.Adagrad,
}


def model(name):
    def add(fn):
        MODELS[name] = fn
        return fn
    return add


@model("fm")
class FactorizationMachine(nn.Module):
    """Click-through model over hashed ids."""

    def __init__(self, buckets=50, rank=4, **_: Any):
        super().__init__()
        self.linear = nn.Embedding(buckets, 1)
        self.factors = nn.Embedding(buckets, rank)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, ids):
        v = self.factors(ids)
        pair = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(-1)
        return self.bias + self.linear(ids).sum((1, 2)) + pair


def create(cfg):
    net = MODELS[cfg["model"]](**cfg.get("model_args", {}))
    optimizer = OPTIMIZERS[cfg["optimizer"]](net.parameters(), lr=cfg["lr"])
    return net, optimizer
