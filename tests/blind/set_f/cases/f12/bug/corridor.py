import numpy as np


class Corridor:
    """Walk to the right end of a line of cells."""

    def __init__(self, n=5, limit=12):
        self.n, self.limit = n, limit
        self.n_actions = 2

    def _obs(self):
        o = np.zeros(self.n, dtype=np.float32)
        o[self.x] = 1.0
        return o

    def reset(self):
        self.x = self.t = 0
        return self._obs()

    def step(self, a):
        self.t += 1
        self.x = min(max(self.x + (1 if a else -1), 0), self.n - 1)
        win = self.x == self.n - 1
        return self._obs(), float(win), win or self.t >= self.limit
