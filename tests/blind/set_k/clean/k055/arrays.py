import numpy as np
import torch


def to_array(value):
    """numpy copy of anything a training loop may hand over."""
    if isinstance(value, np.ndarray):
        return value
    if torch.is_tensor(value):
        value = value.detach()
        if value.device.type != "cpu":
            value = value.cpu()
        return value.numpy()
    return np.asarray([to_array(v) for v in value])


def average_precision(scores, targets):
    order = np.argsort(-scores)
    hits = targets[order]
    ranks = np.arange(1, len(hits) + 1)
    return float((hits.cumsum() / ranks * hits).sum() / max(hits.sum(), 1))
