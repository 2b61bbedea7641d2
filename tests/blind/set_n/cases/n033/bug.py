import torch
from torch import nn
from torch.distributions import Normal


class Env:
    def reset(self):
        self.x, self.t = torch.randn(3), 0
        return self.x

    def step(self, a):
        self.x = 0.9 * self.x + 0.1 * a
        self.t += 1
        return self.x, -float(self.x.pow(2).sum()), self.t >= 8


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, s):
        return Normal(self.mean(s), self.log_std.exp())


class Episode:
    def __init__(self):
        self.logp, self.rewards = [], []

    def push(self, logp, reward):
        self.logp.append(float(logp))
        self.rewards.append(reward)

    def objective(self, gamma):
        ret, out = 0.0, []
        for r in reversed(self.rewards):
            ret = r + gamma * ret
            out.insert(0, ret)
        returns = torch.tensor(out)
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        return -(torch.tensor(self.logp) * returns).sum()


policy, env = Policy(), Env()
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for ep in range(3):
    s, done, episode = env.reset(), False, Episode()
    while not done:
        dist = policy(s)
        a = dist.sample()
        s, r, done = env.step(a)
        episode.push(dist.log_prob(a).sum(), r)
    loss = episode.objective(0.99)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(ep, sum(episode.rewards))
