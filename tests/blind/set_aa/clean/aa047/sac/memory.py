import numpy as np
import torch


class RingMemory:
    def __init__(self, size, **shapes):
        self.data = {k: np.zeros((size, *s), np.float32) for k, s in shapes.items()}
        self.size, self.at, self.full = size, 0, False

    def put(self, **row):
        for k, v in row.items():
            self.data[k][self.at] = v
        self.at = (self.at + 1) % self.size
        self.full |= self.at == 0

    def draw(self, n, device):
        idx = np.random.randint(0, self.size if self.full else self.at, n)
        return {k: torch.from_numpy(v[idx]).to(device) for k, v in self.data.items()}
