import numpy as np
import torch


class Replay:
    """Host storage in numpy, batches delivered on the device."""

    def __init__(self, size, obs, act, device):
        self.device, self.size, self.n, self.i = device, size, 0, 0
        self.cols = [np.zeros((size, k), np.float32) for k in (obs, act, 1, obs, 1)]

    def add(self, s, a, r, s2, done):
        for col, v in zip(self.cols, (s, a, r, s2, 1.0 - done)):
            col[self.i] = v
        self.i = (self.i + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def sample(self, k):
        idx = np.random.randint(0, self.n, k)
        return tuple(torch.from_numpy(c[idx]).to(self.device) for c in self.cols)
