import copy
import io

import torch


def export_torchscript(model, example):
    """Serialises a host version of the network for the C++ side."""
    host_model = copy.deepcopy(model).to("cpu")
    was_training = host_model.training
    host_model.eval()
    with torch.no_grad():
        traced = torch.jit.trace(host_model, example.cpu())
    host_model.train(was_training)
    buf = io.BytesIO()
    torch.jit.save(traced, buf)
    return buf.getvalue()
