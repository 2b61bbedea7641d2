import numpy as np
import torch
from torch import nn


class RunningNorm:
    def __init__(self, size):
        self.n, self.mean, self.m2 = 0, np.zeros(size), np.ones(size)

    def __call__(self, x):
        self.n += 1
        d = x - self.mean
        self.mean = self.mean + d / self.n
        self.m2 = self.m2 + d * (x - self.mean)
        return (x - self.mean) / np.sqrt(self.m2 / self.n + 1e-8)


class Gaussian(nn.Module):
    def __init__(self, s, a):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(s, 32), nn.Tanh(), nn.Linear(32, a))
        self.log_std = nn.Parameter(torch.zeros(a))

    def dist(self, s):
        return torch.distributions.Normal(self.mu(s), self.log_std.exp())


class Reinforce:
    def __init__(self, device):
        self.device = device
        self.pi = Gaussian(3, 1).to(device)
        self.opt = torch.optim.Adam(self.pi.parameters(), lr=1e-3)
        self.norm = RunningNorm(3)

    def tensor(self, values):
        return torch.Tensor(values, device=self.device)

    def act(self, obs):
        with torch.no_grad():
            return self.pi.dist(self.tensor(self.norm(obs).tolist())).sample().cpu().numpy()

    def learn(self, obs, acts, rets):
        logp = self.pi.dist(self.tensor(obs)).log_prob(self.tensor(acts)).sum(-1)
        loss = -(logp * self.tensor(rets)).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


agent = Reinforce(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
for ep in range(2):
    obs, acts, rews = [], [], []
    s = np.random.randn(3)
    for t in range(6):
        a = agent.act(s)
        obs.append(s.tolist())
        acts.append(a.tolist())
        s = 0.9 * s + 0.1 * a
        rews.append(-float(np.sum(s ** 2)))
    agent.learn(obs, acts, np.cumsum(rews[::-1])[::-1].tolist())
