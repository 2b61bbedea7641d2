import torch


def kind(t):
    if t.device == torch.device("cpu"):
        return "cpu"
    return "cuda" if t.device.type == "cuda" else t.device.type


def same(a, b):
    return a if a.device == b.device else a.to(b.device)
