import copy
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


class DuelingNet(nn.Module):
    def __init__(self, obs, acts):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 32), nn.ReLU())
        self.v, self.a = nn.Linear(32, 1), nn.Linear(32, acts)

    def forward(self, x):
        h = self.body(x)
        a = self.a(h)
        return self.v(h) + a - a.mean(1, keepdim=True)


class DoubleDQN:
    def __init__(self, obs=3, acts=2, gamma=0.97, sync=20, device="cpu"):
        self.device = torch.device(device)
        self.net = DuelingNet(obs, acts).to(self.device)
        self.target = copy.deepcopy(self.net).eval()
        for p in self.target.parameters():
            p.requires_grad = False
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.memory = deque(maxlen=400)
        self.gamma, self.sync, self.updates = gamma, sync, 0

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randint(0, 1)
        with torch.no_grad():
            return self.net(obs.to(self.device)[None]).argmax(1).item()

    def batch(self, n):
        obs, act, rew, nxt, done = zip(*random.sample(self.memory, n))
        pack = torch.stack(obs), torch.tensor(act), torch.tensor(rew), torch.stack(nxt), torch.tensor(done)
        return [t.to(self.device) for t in pack]

    def learn(self, n=16):
        obs, act, rew, nxt, done = self.batch(n)
        q = self.net(obs)[torch.arange(n), act]
        with torch.no_grad():
            pick = self.net(nxt).argmax(1, keepdim=True)
            boot = self.target(nxt).gather(1, pick).squeeze(1)
            goal = rew + self.gamma * boot * (~done)
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.net.parameters(), 1.0)
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync == 0:
            self.target.load_state_dict(self.net.state_dict())
        return loss.item()


random.seed(1)
agent = DoubleDQN(device="cuda" if torch.cuda.is_available() else "cpu")
obs = torch.randn(3)
for t in range(80):
    a = agent.act(obs, eps=max(0.1, 1 - t / 60))
    nxt = torch.tanh(obs + (0.3 if a else -0.3) + 0.05 * torch.randn(3))
    agent.memory.append((obs, a, float(nxt[0] > 0.5), nxt, t % 20 == 19))
    obs = torch.randn(3) if t % 20 == 19 else nxt
    if len(agent.memory) >= 16:
        loss = agent.learn()
print(agent.updates, loss)
