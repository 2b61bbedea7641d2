import copy

import torch
from torch import nn


def lazy_copy(model: nn.Module, device="cpu") -> nn.Module:
    skeleton = copy.deepcopy(model).to("meta")
    fresh = skeleton.to_empty(device=device)
    fresh.load_state_dict(model.state_dict())
    return fresh
