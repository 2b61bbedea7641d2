import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Step = namedtuple("Step", "s a r s2 done")


class Buffer:
    def __init__(self, size=500):
        self.data = deque(maxlen=size)

    def add(self, *step):
        self.data.append(Step(*step))

    def sample(self, n):
        rows = random.sample(self.data, n)
        s, a, r, s2, d = zip(*rows)
        return Step(torch.stack(s), torch.tensor(a), torch.tensor(r), torch.stack(s2), torch.tensor(d).float())


class Walk:
    """One dimensional walk, +1 at the right end."""

    def reset(self):
        self.x = 0
        return self.obs()

    def obs(self):
        return torch.tensor([self.x / 5, 1.0])

    def step(self, a):
        self.x += 1 if a else -1
        done = abs(self.x) >= 5
        return self.obs(), float(self.x >= 5), done


class DQN:
    def __init__(self, gamma=0.95, lr=1e-3):
        self.q = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma, self.buffer = gamma, Buffer()

    @torch.no_grad()
    def act(self, s, eps):
        return random.randrange(2) if random.random() < eps else int(self.q(s).argmax())

    def target(self, b):
        best = self.q(b.s2).max(1).values
        return b.r + self.gamma * (1 - b.done) * best

    def learn(self, n=32):
        b = self.buffer.sample(n)
        value = self.q(b.s).gather(1, b.a[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(value, self.target(b))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


random.seed(0)
env, agent = Walk(), DQN()
for episode in range(6):
    s, done, steps = env.reset(), False, 0
    while not done and steps < 40:
        a = agent.act(s, eps=0.5)
        s2, r, done = env.step(a)
        agent.buffer.add(s, a, r, s2, done)
        s, steps = s2, steps + 1
        if len(agent.buffer.data) >= 32:
            agent.learn()
    print(episode, steps)
