import argparse
import copy
import random
from collections import deque
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Replay:
    def __init__(self, size):
        self.data = deque(maxlen=size)

    def add(self, *transition):
        self.data.append(transition)

    def sample(self, n):
        s, a, r, s2, d = zip(*random.sample(self.data, n))
        return (torch.from_numpy(np.stack(s)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.from_numpy(np.stack(s2)), torch.tensor(d, dtype=torch.float32))


class Agent:
    def __init__(self, obs, acts, device):
        self.device = device
        self.q = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, acts)).to(device)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.acts = acts

    @torch.no_grad()
    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(self.acts)
        return self.q(torch.from_numpy(s).to(self.device)).argmax().item()

    def learn(self, batch, gamma=0.99, tau=0.01):
        s, a, r, s2, d = (t.to(self.device) for t in batch)
        value = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            goal = r + gamma * (1 - d) * self.target(s2).gather(1, best).squeeze(1)
        loss = F.smooth_l1_loss(value, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            for p, t in zip(self.q.parameters(), self.target.parameters()):
                t.lerp_(p, tau)
        return loss.item()


ap = argparse.ArgumentParser()
ap.add_argument("--episodes", type=int, default=5)
args = ap.parse_args()
agent = Agent(4, 2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
replay = Replay(500)
for ep in range(args.episodes):
    s = np.random.randn(4).astype(np.float32)
    total = 0.0
    for t in range(20):
        a = agent.act(s, 0.3)
        s2 = np.random.randn(4).astype(np.float32)
        replay.add(s, a, float(s2[0]), s2, float(t == 19))
        total += float(s2[0])
        s = s2
        if len(replay.data) >= 16:
            agent.learn(replay.sample(16))
    print(ep, total)
