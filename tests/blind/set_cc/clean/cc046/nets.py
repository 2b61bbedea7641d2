from torch import nn


def small_mlp(din, classes):
    return nn.Sequential(nn.Linear(din, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, classes))
