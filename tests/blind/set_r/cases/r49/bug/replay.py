import random
from collections import deque, namedtuple

import torch

Transition = namedtuple("Transition", "obs action reward next_obs done")


class Replay:
    def __init__(self, size=1000):
        self.items = deque(maxlen=size)

    def add(self, *values):
        self.items.append(Transition(*values))

    def sample(self, n):
        picked = random.sample(list(self.items), n)
        return Transition(*(torch.stack(column) for column in zip(*picked)))
