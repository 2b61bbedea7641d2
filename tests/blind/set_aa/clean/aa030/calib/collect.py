import numpy as np
import torch


def as_array(value):
    if torch.is_tensor(value):
        return value.numpy(force=True)
    return np.asarray(value)


class Collector:
    def __init__(self):
        self.chunks = {}

    def add(self, **named):
        for name, value in named.items():
            self.chunks.setdefault(name, []).append(as_array(value))

    def arrays(self):
        return {k: np.concatenate(v) for k, v in self.chunks.items()}
