import random

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PrioritizedReplay:
    def __init__(self, size=200, alpha=0.6):
        self.size, self.alpha = size, alpha
        self.data, self.prio = [], []

    def add(self, item):
        if len(self.data) == self.size:
            self.data.pop(0)
            self.prio.pop(0)
        self.data.append(item)
        self.prio.append(max(self.prio, default=1.0))

    def sample(self, n, beta=0.4):
        p = torch.tensor(self.prio) ** self.alpha
        p = p / p.sum()
        idx = torch.multinomial(p, n)
        w = (len(self.data) * p[idx]) ** -beta
        s, a, r, s2 = zip(*(self.data[i] for i in idx.tolist()))
        out = torch.stack(s), torch.tensor(a), torch.tensor(r), torch.stack(s2), w / w.max()
        return idx.tolist(), [t.to(device) for t in out]

    def refresh(self, idx, errors):
        for i, e in zip(idx, errors):
            self.prio[i] = e + 1e-4


class Learner:
    def __init__(self, obs, act):
        mk = lambda: nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, act)).to(device)
        self.q, self.target = mk(), mk()
        self.target.load_state_dict(self.q.state_dict())
        self.criterion = nn.SmoothL1Loss(reduction="none")
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    def step(self, memory, n=16, gamma=0.99):
        idx, (s, a, r, s2, w) = memory.sample(n)
        q = self.q(s).gather(1, a[:, None])[:, 0]
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = r + gamma * self.target(s2).gather(1, best)[:, 0]
        td = self.criterion(q, y)
        loss = (w * td).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        memory.refresh(idx, td.detach().abs().tolist())


memory, learner = PrioritizedReplay(), Learner(4, 2)
for _ in range(60):
    memory.add((torch.randn(4), random.randrange(2), random.random(), torch.randn(4)))
for _ in range(3):
    learner.step(memory)
print(sum(memory.prio) / len(memory.prio))
