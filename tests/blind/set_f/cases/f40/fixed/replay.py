import random
from collections import deque, namedtuple

import torch

Transition = namedtuple("Transition", "s a r s2 done")


class Replay:
    def __init__(self, size=500):
        self.memory = deque(maxlen=size)

    def push(self, *parts):
        self.memory.append(Transition(*parts))

    def __len__(self):
        return len(self.memory)

    def sample(self, n, device):
        batch = Transition(*zip(*random.sample(list(self.memory), n)))
        s, s2 = torch.stack(batch.s).to(device), torch.stack(batch.s2).to(device)
        a = torch.tensor(batch.a, device=device)
        r = torch.tensor(batch.r, device=device)
        done = torch.tensor(batch.done, dtype=torch.float32, device=device)
        return Transition(s, a, r, s2, done)
