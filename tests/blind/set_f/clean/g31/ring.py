import numpy as np
import torch


class RingBuffer:
    """Transitions in numpy arrays; hands out tensors."""

    def __init__(self, size, obs, act, device):
        self.device = torch.device(device)
        self.s = np.zeros((size, obs), np.float32)
        self.a = np.zeros((size, act), np.float32)
        self.r = np.zeros((size, 1), np.float32)
        self.size, self.at, self.full = size, 0, False

    def add(self, s, a, r):
        np.copyto(self.s[self.at], s)
        np.copyto(self.a[self.at], a)
        self.r[self.at] = r
        self.at = (self.at + 1) % self.size
        self.full = self.full or self.at == 0

    def __len__(self):
        return self.size if self.full else self.at

    def sample(self, n):
        idx = np.random.randint(0, len(self), n)
        return tuple(torch.from_numpy(arr[idx]).to(self.device) for arr in (self.s, self.a, self.r))
