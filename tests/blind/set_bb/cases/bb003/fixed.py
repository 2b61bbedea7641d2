import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class ChainEnv:
    """A corridor: walk right to get paid."""

    def __init__(self, length=6):
        self.length = length

    def reset(self):
        self.pos = 0
        self.t = 0
        return self._obs()

    def _obs(self):
        o = np.zeros(self.length, dtype=np.float32)
        o[self.pos] = 1.0
        return o

    def step(self, a):
        self.pos = max(0, min(self.length - 1, self.pos + (1 if a == 1 else -1)))
        self.t += 1
        done = self.pos == self.length - 1 or self.t > 12
        return self._obs(), float(self.pos == self.length - 1), done


class NStepReplay:
    def __init__(self, cap, n):
        self.data = deque(maxlen=cap)
        self.n = n

    def add_episode(self, steps):
        for i in range(len(steps) - self.n):
            chunk = steps[i:i + self.n]
            self.data.append({
                "s": chunk[0][0], "a": chunk[0][1],
                "r": np.array([c[2] for c in chunk], dtype=np.float32),
                "s2": steps[i + self.n][0], "d": float(chunk[-1][3]),
            })

    def sample(self, k, device):
        rows = random.sample(self.data, k)
        pack = lambda key: torch.as_tensor(np.stack([r[key] for r in rows]), device=device)
        return {k: pack(k) for k in ("s", "a", "r", "s2", "d")}


def discounted(rewards, gamma):
    n = rewards.shape[1]
    w = torch.pow(torch.full((n,), gamma, device=rewards.device), torch.arange(n, device=rewards.device))
    return (rewards * w).sum(dim=1)


class Agent:
    gamma = 0.9

    def __init__(self, n_obs, n_act, n_step=3):
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.q = self._net(n_obs, n_act)
        self.target = self._net(n_obs, n_act)
        self.target.load_state_dict(self.q.state_dict())
        self.memory = NStepReplay(500, n_step)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    def _net(self, i, o):
        return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o)).to(self.device)

    @torch.no_grad()
    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(2)
        return self.q(torch.as_tensor(obs, device=self.device)[None]).argmax(1).item()

    def learn(self, bs=16):
        b = self.memory.sample(bs, self.device)
        q = self.q(b["s"]).gather(1, b["a"].long().unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            boot = self.target(b["s2"]).max(1).values
            ret = discounted(b["r"], self.gamma)
            y = ret + self.gamma ** self.memory.n * (1 - b["d"].float()) * boot
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


random.seed(0)
env, agent = ChainEnv(), Agent(6, 2)
for ep in range(12):
    s, done, steps = env.reset(), False, []
    while not done:
        a = agent.act(s, eps=0.5)
        s2, r, done = env.step(a)
        steps.append((s, a, r, done))
        s = s2
    agent.memory.add_episode(steps)
    if len(agent.memory.data) >= 16:
        agent.learn()
print("replay", len(agent.memory.data))
