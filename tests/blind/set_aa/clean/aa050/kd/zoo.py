import torch.nn as nn

BUILDERS = {}


def builder(fn):
    BUILDERS[fn.__name__] = fn
    return fn


@builder
def wide(inp, out):
    return nn.Sequential(nn.Linear(inp, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, out))


@builder
def deep(inp, out):
    dims = [inp, 24, 24, 24]
    layers = [m for a, b in zip(dims, dims[1:]) for m in (nn.Linear(a, b), nn.Tanh())]
    return nn.Sequential(*layers, nn.Linear(24, out))


@builder
def tiny(inp, out):
    return nn.Sequential(nn.Linear(inp, 8), nn.ReLU(), nn.Linear(8, out))
