import copy
import io

import torch


def host_copy(model):
    """A second model, on the host; the one in training stays where it is."""
    return copy.deepcopy(model).to("cpu").eval()


def host_state(model):
    return {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}


def to_bytes(state):
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


class DetourToHost:
    """with DetourToHost(model): the same module is on the host inside and back afterwards."""

    def __init__(self, model):
        self.model = model
        self.home = next(model.parameters()).device

    def __enter__(self):
        return self.model.to("cpu")

    def __exit__(self, *exc):
        self.model.to(self.home)
