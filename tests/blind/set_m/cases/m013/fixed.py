import random
from collections import deque

import numpy as np
import torch
from torch import nn


class QNet(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, act))

    def forward(self, s):
        return self.layers(s)


class Agent:
    def __init__(self, obs=4, act=2, gamma=0.99):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.q = QNet(obs, act).to(self.device)
        self.target = QNet(obs, act).to(self.device)
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.memory = deque(maxlen=500)
        self.gamma = gamma

    def remember(self, *transition):
        self.memory.append(transition)

    def learn(self, n=16):
        s, a, r, s2, d = zip(*random.sample(self.memory, n))
        s = torch.from_numpy(np.stack(s)).to(self.device)
        s2 = torch.from_numpy(np.stack(s2)).to(self.device)
        a = torch.tensor(a, device=self.device)
        r = torch.tensor(r, dtype=torch.float32, device=self.device)
        d = torch.tensor(d, dtype=torch.float32, device=self.device)
        with torch.no_grad():
            goal = r + self.gamma * (1 - d) * self.target(s2).max(dim=1).values
        value = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(value, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


agent = Agent()
for t in range(40):
    obs = np.random.randn(4).astype(np.float32)
    nxt = np.random.randn(4).astype(np.float32)
    agent.remember(obs, random.randrange(2), random.random(), nxt, t % 10 == 9)
    if t >= 32:
        print(t, agent.learn())
