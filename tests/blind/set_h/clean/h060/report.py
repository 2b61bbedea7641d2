import numpy as np
import torch


def to_numpy(x):
    """Arrays, tensors on any device, with or without a graph, lists of them."""
    if isinstance(x, (list, tuple)):
        return np.stack([to_numpy(v) for v in x])
    if torch.is_tensor(x):
        return x.detach().cpu().numpy()
    return np.asarray(x)


class ConfusionMatrix:
    def __init__(self, classes):
        self.m = np.zeros((classes, classes), dtype=np.int64)

    def update(self, pred, target):
        np.add.at(self.m, (to_numpy(target), to_numpy(pred)), 1)

    def recall(self):
        return np.diag(self.m) / np.maximum(self.m.sum(1), 1)


def calibration(conf, hit, bins=5):
    edges = np.linspace(0, 1, bins + 1)
    slot = np.clip(np.digitize(conf, edges) - 1, 0, bins - 1)
    gaps = [abs(conf[slot == b].mean() - hit[slot == b].mean()) * (slot == b).mean() for b in range(bins) if (slot == b).any()]
    return float(np.sum(gaps))
