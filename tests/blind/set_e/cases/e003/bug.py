"""Prioritised replay for a small value network."""
import random
from collections import namedtuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

Transition = namedtuple("Transition", "state action reward next_state done")
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PrioritizedReplay:
    def __init__(self, capacity, alpha=0.6, beta=0.4):
        self.capacity, self.alpha, self.beta = capacity, alpha, beta
        self.memory, self.priorities, self.pos = [], np.zeros(capacity, dtype=np.float32), 0

    def push(self, *args):
        top = self.priorities.max() if self.memory else 1.0
        if len(self.memory) < self.capacity:
            self.memory.append(None)
        self.memory[self.pos] = Transition(*args)
        self.priorities[self.pos] = top
        self.pos = (self.pos + 1) % self.capacity

    def sample(self, n):
        p = self.priorities[: len(self.memory)] ** self.alpha
        p /= p.sum()
        idx = np.random.choice(len(self.memory), n, p=p)
        weights = (len(self.memory) * p[idx]) ** -self.beta
        weights /= weights.max()
        batch = Transition(*zip(*(self.memory[i] for i in idx)))
        return batch, idx, torch.from_numpy(weights)

    def update(self, idx, errors):
        self.priorities[idx] = errors + 1e-5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.adv = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
        self.val = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        a = self.adv(x)
        return self.val(x) + a - a.mean(1, keepdim=True)


def optimise(net, target, optimizer, replay, batch_size=8, gamma=0.99):
    batch, idx, weights = replay.sample(batch_size)
    state = torch.stack(batch.state).to(DEVICE)
    next_state = torch.stack(batch.next_state).to(DEVICE)
    action = torch.tensor(batch.action, device=DEVICE).unsqueeze(1)
    reward = torch.tensor(batch.reward, device=DEVICE)
    done = torch.tensor(batch.done, device=DEVICE)
    q = net(state).gather(1, action).squeeze(1)
    with torch.no_grad():
        best = net(next_state).argmax(1, keepdim=True)
        expected = reward + gamma * target(next_state).gather(1, best).squeeze(1) * (1 - done)
    error = F.smooth_l1_loss(q, expected, reduction="none")
    loss = (weights * error).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    replay.update(idx, error.detach().cpu().numpy())
    return loss.item()


if __name__ == "__main__":
    net, target = Net().to(DEVICE), Net().to(DEVICE)
    target.load_state_dict(net.state_dict())
    replay = PrioritizedReplay(32)
    for _ in range(20):
        replay.push(torch.rand(3), random.randrange(2), random.random(), torch.rand(3), float(random.random() < 0.1))
    optimizer = optim.Adam(net.parameters())
    for _ in range(3):
        print(optimise(net, target, optimizer, replay))
