import torch
from torch import nn


def load(path, net: nn.Module, device):
    state = torch.load(path, map_location=lambda storage, loc: storage)
    net.load_state_dict(state["net"] if "net" in state else state)
    return net.to(device).eval()


def load_pickle(path):
    import pickle

    with open(path, "rb") as f:
        return pickle.load(f)


def load_average(paths):
    avg = None
    for p in paths:
        sd = torch.load(p, map_location="cpu", weights_only=True)
        avg = sd if avg is None else {k: avg[k] + sd[k] for k in sd}
    return {k: v / len(paths) for k, v in avg.items()}
