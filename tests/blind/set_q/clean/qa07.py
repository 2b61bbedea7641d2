import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "s a r s2 done")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class LineWorld:
    def reset(self):
        self.x, self.n = 0.0, 0
        return np.array([self.x, 0.0], dtype=np.float32)

    def step(self, a):
        self.x += 0.25 if a == 1 else -0.25
        self.n += 1
        done = abs(self.x) >= 1 or self.n >= 20
        return np.array([self.x, self.n / 20], dtype=np.float32), float(self.x >= 1), done


def qnet():
    return nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))


class Agent:
    def __init__(self, gamma=0.97, tau=0.05):
        self.q = qnet().to(device)
        self.target = qnet().to(device)
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=5e-3)
        self.memory = deque(maxlen=500)
        self.gamma, self.tau = gamma, tau

    @torch.no_grad()
    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(2)
        return int(self.q(torch.from_numpy(s).to(device)).argmax())

    def learn(self, batch_size=32):
        if len(self.memory) < batch_size:
            return
        b = Transition(*zip(*random.sample(self.memory, batch_size)))
        s = torch.as_tensor(np.stack(b.s), device=device)
        s2 = torch.as_tensor(np.stack(b.s2), device=device)
        a = torch.tensor(b.a, device=device).unsqueeze(1)
        r = torch.tensor(b.r, device=device)
        done = torch.tensor(b.done, device=device, dtype=torch.float32)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = r + self.gamma * (1 - done) * self.target(s2).gather(1, best).squeeze(1)
        loss = F.smooth_l1_loss(self.q(s).gather(1, a).squeeze(1), y)
        self.opt.zero_grad()
        loss.backward()
        for p in self.q.parameters():
            p.grad.clamp_(-1, 1)
        self.opt.step()
        with torch.no_grad():
            for t, p in zip(self.target.parameters(), self.q.parameters()):
                t.lerp_(p, self.tau)


def main():
    env, agent = LineWorld(), Agent()
    returns = []
    for ep in range(12):
        s, done, ret = env.reset(), False, 0.0
        while not done:
            a = agent.act(s, eps=max(0.1, 1 - ep / 8))
            s2, r, done = env.step(a)
            agent.memory.append(Transition(s, a, r, s2, done))
            agent.learn()
            s, ret = s2, ret + r
        returns.append(ret)
    print(returns)


if __name__ == "__main__":
    main()
