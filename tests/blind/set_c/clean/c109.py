"""Helpers that bring nested results back to the host for logging."""
import numpy as np
import torch


def to_numpy(x):
    if torch.is_tensor(x):
        if x.requires_grad:
            x = x.detach()
        if x.is_cuda:
            x = x.cpu()
        return x.numpy()
    return np.asarray(x)


def to_host(obj):
    if isinstance(obj, torch.Tensor):
        return to_numpy(obj)
    if isinstance(obj, dict):
        return {k: to_host(v) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(to_host(v) for v in obj)
    return obj


def histogram(named, bins=10):
    out = {}
    for name, value in named.items():
        array = to_numpy(value)
        counts, edges = np.histogram(array, bins=bins)
        out[name] = dict(counts=counts.tolist(), low=float(edges[0]), high=float(edges[-1]), mean=float(array.mean()))
    return out


def scalarize(metrics):
    return {k: (v.item() if torch.is_tensor(v) and v.numel() == 1 else v) for k, v in metrics.items()}
