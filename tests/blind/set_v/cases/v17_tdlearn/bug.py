import copy
import random
from collections import deque

import torch
from torch import nn


class QNet(nn.Module):
    def __init__(self, obs=4, act=2):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, act))

    def forward(self, x):
        return self.layers(x)


class Replay(deque):
    def draw(self, n):
        cols = zip(*random.sample(self, n))
        return [torch.stack(c) if torch.is_tensor(c[0]) else torch.tensor(c) for c in cols]


class Agent:
    def __init__(self, gamma=0.97, double=True):
        self.online = QNet()
        self.lagged = copy.deepcopy(self.online).requires_grad_(False)
        self.gamma, self.double = gamma, double
        self.opt = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        self.memory = Replay(maxlen=200)

    def bootstrap(self, nxt):
        if self.double:
            best = self.online(nxt).argmax(1, keepdim=True)
            return self.lagged(nxt).gather(1, best).squeeze(1)
        return self.online(nxt).max(1).values

    def td_loss(self, obs, act, rew, nxt, done):
        q = self.online(obs).gather(1, act[:, None]).squeeze(1)
        target = rew + self.gamma * (1 - done) * self.bootstrap(nxt)
        return nn.functional.smooth_l1_loss(q, target)

    def learn(self, n=16):
        loss = self.td_loss(*self.memory.draw(n))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


agent = Agent(double=False)
for t in range(60):
    agent.memory.append((torch.randn(4), random.randint(0, 1), random.random(), torch.randn(4), float(t % 9 == 0)))
    if t >= 20 and t % 10 == 0:
        print(t, agent.learn())
