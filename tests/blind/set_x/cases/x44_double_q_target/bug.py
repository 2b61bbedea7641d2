"""DQN on a chain environment."""
import random
from collections import deque

import torch
from torch import nn


class ReplayMemory:
    def __init__(self, capacity=500):
        self.rows = deque(maxlen=capacity)

    def push(self, *row):
        self.rows.append(row)

    def sample(self, n):
        s, a, r, s2, done = zip(*random.sample(list(self.rows), n))
        return (torch.stack(s), torch.tensor(a), torch.tensor(r), torch.stack(s2), torch.tensor(done, dtype=torch.float32))


class Chain:
    size = 6

    def __init__(self):
        self.pos = 0

    def observe(self):
        return nn.functional.one_hot(torch.tensor(self.pos), self.size).float()

    def step(self, action):
        self.pos = max(0, min(self.size - 1, self.pos + (1 if action else -1)))
        done = self.pos == self.size - 1
        s2 = self.observe()
        if done:
            self.pos = 0
        return s2, float(done), done


class DQN:
    def __init__(self, gamma=0.9, eps=0.3):
        self.gamma, self.eps = gamma, eps
        self.net = nn.Sequential(nn.Linear(Chain.size, 16), nn.ReLU(), nn.Linear(16, 2))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    @torch.no_grad()
    def act(self, s):
        if random.random() < self.eps:
            return random.randrange(2)
        return int(self.net(s).argmax())

    def targets(self, r, s2, done):
        best = self.net(s2).max(dim=1).values
        return r + self.gamma * (1 - done) * best

    def loss(self, s, a, r, s2, done):
        q = self.net(s).gather(1, a.unsqueeze(1)).squeeze(1)
        return nn.functional.smooth_l1_loss(q, self.targets(r, s2, done))

    def learn(self, batch):
        loss = self.loss(*batch)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


random.seed(0)
agent, memory, env = DQN(), ReplayMemory(), Chain()
state = env.observe()
for step in range(60):
    action = agent.act(state)
    nxt, reward, done = env.step(action)
    memory.push(state, action, reward, nxt, done)
    state = env.observe()
    if len(memory.rows) >= 32:
        agent.learn(memory.sample(32))
