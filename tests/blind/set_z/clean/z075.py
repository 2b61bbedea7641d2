"""PPO on a toy control problem, one module as in many course repositories."""
import argparse
from dataclasses import dataclass
from typing import List

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


@dataclass
class PPOConfig:
    iterations: int = 2
    horizon: int = 16
    epochs: int = 2
    minibatch: int = 8
    clip: float = 0.2
    gamma: float = 0.98
    lam: float = 0.95
    vf_coef: float = 0.5
    lr: float = 3e-3
    target_kl: float = 0.05


class PointEnv:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.pos, self.t = self.rng.uniform(-1, 1, 2).astype(np.float32), 0
        return self.pos

    def step(self, action):
        self.pos = np.clip(self.pos + 0.2 * np.tanh(action), -2, 2).astype(np.float32)
        self.t += 1
        return self.pos, -float(np.linalg.norm(self.pos)), self.t >= 8


class Agent(nn.Module):
    def __init__(self, obs=2, act=2):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, act))
        self.critic = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.full((act,), -0.5))

    def value(self, obs):
        return self.critic(obs).squeeze(-1)

    def dist(self, obs):
        return Normal(self.actor(obs), self.log_std.exp())

    @torch.no_grad()
    def act(self, obs):
        d = self.dist(obs)
        a = d.sample()
        return a.cpu().numpy(), d.log_prob(a).sum(-1).item(), self.value(obs).item()


class Rollout:
    def __init__(self):
        self.rows: List[tuple] = []

    def add(self, *row):
        self.rows.append(row)

    def finish(self, last_value, cfg, device):
        obs, act, logp, value, reward, done = zip(*self.rows)
        adv, last = np.zeros(len(reward), np.float32), 0.0
        values = list(value) + [last_value]
        for t in reversed(range(len(reward))):
            alive = 1.0 - done[t]
            delta = reward[t] + cfg.gamma * values[t + 1] * alive - values[t]
            last = delta + cfg.gamma * cfg.lam * alive * last
            adv[t] = last
        ret = adv + np.asarray(value, np.float32)
        arrays = (np.stack(obs), np.stack(act), np.asarray(logp, np.float32), adv, ret)
        return [torch.from_numpy(a).to(device) for a in arrays]


def collect(env, agent, cfg, device):
    roll, obs = Rollout(), env.reset()
    for _ in range(cfg.horizon):
        action, logp, value = agent.act(torch.from_numpy(obs).to(device))
        nxt, reward, done = env.step(action)
        roll.add(obs, action, logp, value, reward, float(done))
        obs = env.reset() if done else nxt
    return roll.finish(agent.act(torch.from_numpy(obs).to(device))[2], cfg, device)


def improve(agent, optimizer, data, cfg):
    obs, act, old_logp, adv, ret = data
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for _ in range(cfg.epochs):
        for idx in torch.randperm(len(obs)).split(cfg.minibatch):
            d = agent.dist(obs[idx])
            logp = d.log_prob(act[idx]).sum(-1)
            ratio = (logp - old_logp[idx]).exp()
            clipped = ratio.clamp(1 - cfg.clip, 1 + cfg.clip)
            pi_loss = -torch.min(ratio * adv[idx], clipped * adv[idx]).mean()
            v_loss = (agent.value(obs[idx]) - ret[idx]).pow(2).mean()
            optimizer.zero_grad()
            (pi_loss + cfg.vf_coef * v_loss).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        with torch.no_grad():
            kl = (old_logp - agent.dist(obs).log_prob(act).sum(-1)).mean().item()
        if kl > 1.5 * cfg.target_kl:
            break
    return {"pi": pi_loss.item(), "v": v_loss.item(), "kl": kl}


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--iterations", type=int, default=2)
    cfg = PPOConfig(iterations=ap.parse_args().iterations)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = Agent().to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=cfg.lr)
    env = PointEnv(0)
    for i in range(cfg.iterations):
        print(i, improve(agent, optimizer, collect(env, agent, cfg, device), cfg))
