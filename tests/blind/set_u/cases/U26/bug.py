import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Chain:
    """Walk right for a reward, five states."""

    n = 5

    def reset(self):
        self.s = 0
        return self.one_hot()

    def one_hot(self):
        v = [0.0] * self.n
        v[self.s] = 1.0
        return v

    def step(self, a):
        self.s = max(0, min(self.n - 1, self.s + (1 if a == 1 else -1)))
        return self.one_hot(), float(self.s == self.n - 1), self.s == self.n - 1


class Memory(list):
    def sample(self, k, device):
        cols = zip(*random.choices(self, k=k))
        s, a, r, n, d = (torch.tensor(c, device=device) for c in cols)
        return s, a, r, n, d.float()


class DuelingQ(nn.Module):
    def __init__(self, obs, actions, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU())
        self.value, self.adv = nn.Linear(hidden, 1), nn.Linear(hidden, actions)

    def forward(self, s):
        h = self.body(s)
        a = self.adv(h)
        return self.value(h) + a - a.mean(dim=-1, keepdim=True)


class Agent:
    def __init__(self, obs, actions, device, gamma=0.9):
        self.q = DuelingQ(obs, actions).to(device)
        self.opt = torch.optim.RMSprop(self.q.parameters(), lr=1e-3)
        self.device, self.gamma, self.actions = device, gamma, actions
        self.memory = Memory()

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(self.actions)
        with torch.no_grad():
            return self.q(torch.tensor(s, device=self.device)).argmax().item()

    def target(self, reward, nxt, done):
        best = self.q(nxt).max(dim=1).values
        return reward + self.gamma * (1 - done) * best

    def learn(self, k):
        s, a, r, n, d = self.memory.sample(k, self.device)
        pred = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        loss = F.mse_loss(pred, self.target(r, n, d))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


env = Chain()
agent = Agent(env.n, 2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
for episode in range(8):
    s = env.reset()
    for _ in range(20):
        a = agent.act(s, eps=0.5)
        n, r, done = env.step(a)
        agent.memory.append((s, a, r, n, done))
        s = n
        if len(agent.memory) >= 16:
            loss = agent.learn(16)
        if done:
            break
print("memory", len(agent.memory), "loss", loss)
