import random
from collections import deque

import numpy as np
import torch
from torch import nn, optim


class DuelingQ(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(obs, 32), nn.ReLU())
        self.v = nn.Linear(32, 1)
        self.a = nn.Linear(32, act)

    def forward(self, s):
        h = self.f(s)
        adv = self.a(h)
        return self.v(h) + adv - adv.mean(1, keepdim=True)


class PrioritizedReplay:
    """Everything stays on the host; priorities are numpy."""

    def __init__(self, size, alpha=0.6):
        self.items, self.prio, self.alpha = deque(maxlen=size), deque(maxlen=size), alpha

    def push(self, **tr):
        self.items.append(tr)
        self.prio.append(max(self.prio, default=1.0))

    def sample(self, n, beta=0.4):
        p = np.asarray(self.prio) ** self.alpha
        p /= p.sum()
        idx = np.random.choice(len(p), n, p=p)
        w = (len(p) * p[idx]) ** -beta
        rows = [self.items[i] for i in idx]
        batch = {k: np.stack([r[k] for r in rows]) for k in rows[0]}
        return idx, (w / w.max()).astype(np.float32), batch

    def reweigh(self, idx, err):
        for i, e in zip(idx, err):
            self.prio[i] = float(abs(e)) + 1e-3


class Agent:
    def __init__(self, obs, act, device="cpu", sync=5):
        self.device = torch.device(device)
        self.online, self.target = (DuelingQ(obs, act).to(self.device) for _ in range(2))
        self.target.load_state_dict(self.online.state_dict())
        for p in self.target.parameters():
            p.requires_grad_(False)
        self.opt = optim.Adam(self.online.parameters(), lr=1e-3)
        self.replay = PrioritizedReplay(400)
        self.sync, self.updates, self.n_act = sync, 0, act

    def _t(self, a, dtype=torch.float32):
        return torch.as_tensor(a, dtype=dtype, device=self.device)

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(self.n_act)
        with torch.no_grad():
            return int(self.online(self._t(s)[None]).argmax())

    def learn(self, n=16, gamma=0.97):
        idx, w, b = self.replay.sample(n)
        q = self.online(self._t(b["s"])).gather(1, self._t(b["a"], torch.long)[:, None])[:, 0]
        with torch.no_grad():
            s2 = self._t(b["s2"])
            best = self.online(s2).argmax(1, keepdim=True)
            y = self._t(b["r"]) + gamma * (1 - self._t(b["done"])) * self.target(s2).gather(1, best)[:, 0]
        td = y - q
        loss = (self._t(w) * td.pow(2)).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10)
        self.opt.step()
        self.replay.reweigh(idx, td.detach().cpu().numpy())
        self.updates += 1
        if self.updates % self.sync == 0:
            self.target.load_state_dict(self.online.state_dict())


random.seed(0)
np.random.seed(0)
agent = Agent(4, 3, device="cuda" if torch.cuda.is_available() else "cpu")
s = np.zeros(4, np.float32)
for t in range(60):
    a = agent.act(s, eps=max(0.1, 1 - t / 40))
    s2 = (0.8 * s + 0.3 * np.random.randn(4) + 0.1 * (a - 1)).astype(np.float32)
    agent.replay.push(s=s, a=a, r=np.float32(-abs(s2[0])), s2=s2, done=np.float32(t % 15 == 14))
    s = s2
    if t >= 30:
        agent.learn()
print(agent.updates, max(agent.replay.prio))
