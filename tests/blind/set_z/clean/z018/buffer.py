from collections import deque, namedtuple
import random

import torch

Transition = namedtuple("Transition", "obs action reward next_obs done")


class ReplayBuffer:
    """Lives in host memory; a batch is moved when it is sampled."""

    def __init__(self, capacity: int, device):
        self.data = deque(maxlen=capacity)
        self.device = device

    def __len__(self):
        return len(self.data)

    def push(self, *values):
        self.data.append(Transition(*values))

    def sample(self, n: int) -> Transition:
        rows = Transition(*zip(*random.sample(self.data, n)))
        return Transition(
            obs=torch.stack(rows.obs).to(self.device),
            action=torch.tensor(rows.action, device=self.device),
            reward=torch.tensor(rows.reward, dtype=torch.float32, device=self.device),
            next_obs=torch.stack(rows.next_obs).to(self.device),
            done=torch.tensor(rows.done, dtype=torch.float32, device=self.device),
        )
