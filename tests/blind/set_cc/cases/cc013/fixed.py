from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class PPOConfig:
    horizon: int = 32
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    epochs: int = 2
    lr: float = 3e-4


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, actions):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh())
        self.pi = nn.Linear(64, actions)
        self.v = nn.Linear(64, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class PPO:
    def __init__(self, env_step, obs_dim, actions, cfg):
        self.cfg, self.env_step = cfg, env_step
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = ActorCritic(obs_dim, actions).to(self.device)
        self.optim = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)

    def rollout(self, obs):
        data = {"obs": [], "act": [], "logp": [], "val": [], "rew": [], "done": []}
        for _ in range(self.cfg.horizon):
            x = torch.as_tensor(obs, dtype=torch.float32, device=self.device)
            dist, value = self.net(x)
            action = dist.sample()
            data["obs"].append(x)
            data["act"].append(action)
            data["logp"].append(dist.log_prob(action).detach())
            data["val"].append(value)
            obs, rew, done = self.env_step(action.item())
            data["rew"].append(rew)
            data["done"].append(done)
        return data, obs

    def advantages(self, data):
        values = torch.stack(data["val"]).detach().cpu().numpy()
        adv, last, nxt = np.zeros_like(values), 0.0, 0.0
        for t in reversed(range(len(values))):
            keep = 1.0 - data["done"][t]
            delta = data["rew"][t] + self.cfg.gamma * nxt * keep - values[t]
            adv[t] = last = delta + self.cfg.gamma * self.cfg.lam * keep * last
            nxt = values[t]
        returns = adv + values
        return [torch.as_tensor(a, device=self.device) for a in (adv, returns)]

    def update(self, data):
        obs, act, logp_old = (torch.stack(data[k]) for k in ("obs", "act", "logp"))
        adv, returns = self.advantages(data)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(self.cfg.epochs):
            dist, value = self.net(obs)
            ratio = (dist.log_prob(act) - logp_old).exp()
            clipped = ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip)
            loss = -torch.min(ratio * adv, clipped * adv).mean() + 0.5 * (returns - value).pow(2).mean()
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()


def random_walk(action):
    return np.random.randn(4), float(action), float(np.random.rand() < 0.05)


if __name__ == "__main__":
    agent = PPO(random_walk, 4, 2, PPOConfig())
    obs = np.random.randn(4)
    for _ in range(2):
        batch, obs = agent.rollout(obs)
        agent.update(batch)
