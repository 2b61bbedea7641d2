import random
from collections import deque, namedtuple

import numpy as np
import torch

Transition = namedtuple("Transition", "state action reward next_state done")


class ReplayBuffer:
    def __init__(self, capacity, device):
        self.memory = deque(maxlen=capacity)
        self.device = device

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        batch = Transition(*zip(*random.sample(self.memory, batch_size)))
        states = torch.from_numpy(np.stack(batch.state)).float().to(self.device)
        actions = torch.tensor(batch.action, dtype=torch.long).unsqueeze(1)
        rewards = torch.tensor(batch.reward, dtype=torch.float32, device=self.device)
        next_states = torch.from_numpy(np.stack(batch.next_state)).float().to(self.device)
        dones = torch.tensor(batch.done, dtype=torch.float32, device=self.device)
        return states, actions, rewards, next_states, dones

    def __len__(self):
        return len(self.memory)
