import torch.nn as nn

MODELS = {}
LOSSES = {
    "mse": nn.MSELoss,
    "mae": nn.L1Loss,
    "huber": nn.SmoothL1Loss,
}


def register(name):
    def wrap(cls):
        MODELS[name] = cls
        return cls

    return wrap


def get_loss(name):
    return LOSSES[name]
