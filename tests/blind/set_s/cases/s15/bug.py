import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ReplayMemory:
    def __init__(self, capacity):
        self.buffer = deque(maxlen=capacity)

    def push(self, *transition):
        self.buffer.append(transition)

    def sample(self, n):
        state, action, reward, nxt, done = zip(*random.sample(list(self.buffer), n))
        return (torch.stack(state).to(device), torch.tensor(action, device=device),
                torch.Tensor(reward, device=device), torch.stack(nxt).to(device),
                torch.tensor(done, dtype=torch.float32, device=device))

    def __len__(self):
        return len(self.buffer)


def q_net():
    return nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2)).to(device)


def optimise(policy, target, memory, optimizer, batch_size=16, gamma=0.97):
    state, action, reward, nxt, done = memory.sample(batch_size)
    q = policy(state).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = target(nxt).amax(1)
        expected = reward + gamma * best * (1 - done)
    loss = F.smooth_l1_loss(q, expected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


random.seed(0)
policy, target = q_net(), q_net()
target.load_state_dict(policy.state_dict())
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
memory = ReplayMemory(200)
state = torch.randn(3)
for step in range(60):
    action = random.randrange(2)
    nxt, reward = torch.randn(3), random.random()
    memory.push(state, action, reward, nxt, step % 10 == 9)
    state = nxt
    if len(memory) >= 32:
        loss = optimise(policy, target, memory, optimizer)
    if step % 20 == 19:
        target.load_state_dict(policy.state_dict())
print("loss", loss.item())
