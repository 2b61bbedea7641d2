from collections import deque

import numpy as np
import torch
from torch import nn


class GaussianActor(nn.Module):
    def __init__(self, obs=4, act=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 32), nn.Tanh())
        self.mean = nn.Linear(32, act)
        self.log_std = nn.Parameter(torch.zeros(act))

    def dist(self, obs):
        return torch.distributions.Normal(self.mean(self.body(obs)), self.log_std.exp())

    @torch.no_grad()
    def act(self, obs):
        device = self.log_std.device
        obs = torch.as_tensor(obs, dtype=torch.float32, device=device).unsqueeze(0)
        action = self.dist(obs).sample().squeeze(0)
        return np.clip(action.cpu().numpy(), -1.0, 1.0)


class PointEnv:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.pos = self.rng.normal(size=4)
        self.t = 0
        return self.pos.copy()

    def step(self, action):
        self.pos[:2] += 0.1 * action
        self.t += 1
        return self.pos.copy(), -float(np.square(self.pos).sum()), self.t >= 20


def returns_to_go(rewards, gamma=0.95):
    out, acc = deque(), 0.0
    for r in reversed(rewards):
        acc = r + gamma * acc
        out.appendleft(acc)
    return np.array(out, dtype=np.float32)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
actor = GaussianActor().to(device)
opt = torch.optim.Adam(actor.parameters(), lr=3e-3)
env = PointEnv()
for episode in range(4):
    obs, done = env.reset(), False
    states, actions, rewards = [], [], []
    while not done:
        a = actor.act(obs)
        states.append(obs)
        actions.append(a)
        obs, r, done = env.step(a)
        rewards.append(r)
    ret = torch.from_numpy(returns_to_go(rewards)).to(device)
    s = torch.tensor(np.stack(states), dtype=torch.float32, device=device)
    logp = actor.dist(s).log_prob(torch.from_numpy(np.stack(actions)).to(device)).sum(-1)
    loss = -(logp * (ret - ret.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(episode, sum(rewards), float(actor.log_std.detach().cpu().numpy().mean()))
