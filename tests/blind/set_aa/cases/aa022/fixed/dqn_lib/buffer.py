import random
from collections import deque, namedtuple

import torch

Step = namedtuple("Step", "obs action reward next_obs done")


class ReplayBuffer:
    def __init__(self, capacity):
        self.mem = deque(maxlen=capacity)

    def add(self, *args):
        self.mem.append(Step(*args))

    def __len__(self):
        return len(self.mem)

    def sample(self, n, device):
        obs, action, reward, nxt, done = zip(*random.sample(list(self.mem), n))
        return Step(
            torch.stack(obs).to(device),
            torch.tensor(action, device=device),
            torch.tensor(reward, device=device),
            torch.stack(nxt).to(device),
            torch.tensor(done, dtype=torch.float32, device=device),
        )
