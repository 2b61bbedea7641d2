"""PPO on a toy pole-like environment, one file."""
from dataclasses import dataclass

import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class PPOConfig:
    horizon: int = 32
    epochs: int = 2
    minibatch: int = 16
    gamma: float = 0.98
    lam: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    lr: float = 3e-3


class ActorCritic(nn.Module):
    def __init__(self, obs=4, acts=3, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, acts)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)

    @torch.no_grad()
    def act(self, obs):
        dist, value = self(obs)
        action = dist.sample()
        return action, dist.log_prob(action), value


class Drift:
    def __init__(self, device):
        self.device = device
        self.state = torch.zeros(4, device=device)

    def step(self, action):
        self.state = 0.9 * self.state + 0.1 * torch.randn(4, device=self.device) + 0.1 * (action - 1)
        return self.state.clone(), -self.state.abs().sum()


class Rollout:
    FIELDS = ("obs", "action", "logp", "value", "reward")

    def __init__(self):
        self.rows = {k: [] for k in self.FIELDS}

    def add(self, **kw):
        for k, v in kw.items():
            self.rows[k].append(v)

    def stack(self):
        return {k: torch.stack(v) for k, v in self.rows.items()}


def advantages(reward, value, last, cfg):
    adv = torch.zeros_like(reward)
    running = torch.zeros((), device=reward.device)
    for t in reversed(range(len(reward))):
        nxt = last if t + 1 == len(reward) else value[t + 1]
        delta = reward[t] + cfg.gamma * nxt - value[t]
        running = delta + cfg.gamma * cfg.lam * running
        adv[t] = running
    return adv, adv + value


def collect(env, net, cfg):
    data, obs = Rollout(), env.state.clone()
    for _ in range(cfg.horizon):
        action, logp, value = net.act(obs)
        nxt, reward = env.step(action)
        data.add(obs=obs, action=action, logp=logp, value=value, reward=reward)
        obs = nxt
    return data.stack(), net.act(obs)[2]


def update(net, opt, batch, last, cfg):
    adv, ret = advantages(batch["reward"], batch["value"], last, cfg)
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for _ in range(cfg.epochs):
        for idx in torch.randperm(cfg.horizon, device=adv.device).split(cfg.minibatch):
            dist, value = net(batch["obs"][idx])
            ratio = (dist.log_prob(batch["action"][idx]) - batch["logp"][idx]).exp()
            a = adv[idx]
            policy = -torch.min(ratio * a, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * a).mean()
            loss = policy + 0.5 * (value - ret[idx]).pow(2).mean() - cfg.entropy * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
    return batch["reward"].mean().item()


if __name__ == "__main__":
    cfg = PPOConfig()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ActorCritic().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    env = Drift(device)
    for it in range(3):
        batch, last = collect(env, net, cfg)
        print(it, update(net, opt, batch, last, cfg))
