import torch

from .vocab import PAD

_causal = {}


def causal(n, device):
    if n not in _causal:
        _causal[n] = torch.ones(n, n, dtype=torch.bool, device=device).triu(1)
    return _causal[n]




def padding(ids):
    return ids == PAD
