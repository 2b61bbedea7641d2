import copy
import io

import torch


def export_copy(model):
    """A detached copy for the CPU side; the live model stays where it is."""
    twin = copy.deepcopy(model).to("cpu")
    twin.eval()
    return twin


def save_from_host(model, device):
    model.to("cpu")
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    model.to(device)
    return buffer
