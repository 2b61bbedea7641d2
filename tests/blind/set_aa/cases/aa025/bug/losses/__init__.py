import torch.nn as nn

from .focal import WeightedFocal

_TABLE = {"ce": nn.CrossEntropyLoss, "focal": WeightedFocal}


def get_loss(name, **kw):
    return _TABLE[name](**kw)
