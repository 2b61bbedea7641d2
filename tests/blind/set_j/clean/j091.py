import torch
import torch.nn as nn
from torch.distributions import Bernoulli


class Cart:
    def __init__(self, limit=20):
        self.limit = limit

    def reset(self):
        self.x, self.v, self.t = 0.0, torch.randn(()).item() * 0.1, 0
        return self.x, self.v

    def step(self, push):
        self.v += 0.1 if push else -0.1
        self.x += self.v
        self.t += 1
        return (self.x, self.v), 1.0 - abs(self.x), abs(self.x) > 2 or self.t >= self.limit


class Reinforce:
    def __init__(self, device):
        self.device = device
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)
        self.baseline, self.saved = 0.0, []

    def act(self, state):
        dist = Bernoulli(logits=self.net(torch.tensor(state, device=self.device)).squeeze(-1))
        a = dist.sample()
        self.saved.append(dist.log_prob(a))
        return bool(a)

    def finish(self, rewards, gamma=0.97):
        g, returns = 0.0, []
        for r in rewards[::-1]:
            g = r + gamma * g
            returns.append(g)
        returns = torch.tensor(returns[::-1], device=self.device)
        self.baseline = 0.9 * self.baseline + 0.1 * returns.mean().item()
        loss = 0
        for lp, ret in zip(self.saved, returns):
            loss = loss - lp * (ret - self.baseline)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.saved = []


env = Cart()
agent = Reinforce(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
history = []
for ep in range(4):
    state, done, rewards, total = env.reset(), False, [], 0.0
    while not done:
        state, reward, done = env.step(agent.act(state))
        rewards.append(reward)
        total += reward
    agent.finish(rewards)
    history.append(total)
print(history)
