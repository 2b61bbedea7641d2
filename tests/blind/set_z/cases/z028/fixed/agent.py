import argparse

import numpy as np
import torch
import torch.nn.functional as F

from policy import ActorCritic
from returns import gae, stack_values


class BanditEnv:
    def __init__(self, seed=0, horizon=6):
        self.rng = np.random.default_rng(seed)
        self.horizon = horizon

    def reset(self):
        self.t = 0
        return self.rng.standard_normal(4)

    def step(self, action):
        self.t += 1
        return self.rng.standard_normal(4), float(action == self.t % 3), self.t >= self.horizon


class A2C:
    def __init__(self, env, lr=3e-3, entropy_coef=0.01, device="cpu"):
        self.env = env
        self.device = torch.device(device)
        self.net = ActorCritic().to(self.device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.entropy_coef = entropy_coef

    def rollout(self):
        obs, done = self.env.reset(), False
        steps, rewards = [], []
        while not done:
            step = self.net.act(obs)
            obs, reward, done = self.env.step(step.action)
            steps.append(step)
            rewards.append(reward)
        return steps, rewards

    def update(self):
        steps, rewards = self.rollout()
        adv, ret = gae(rewards, stack_values(steps))
        adv = torch.as_tensor(adv, device=self.device)
        ret = torch.as_tensor(ret, device=self.device)
        logp = torch.stack([s.log_prob for s in steps])
        value = torch.stack([s.value for s in steps])
        entropy = torch.stack([s.entropy for s in steps]).mean()
        loss = -(logp * adv).mean() + 0.5 * F.mse_loss(value, ret) - self.entropy_coef * entropy
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return sum(rewards), loss.item()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--updates", type=int, default=3)
    args = ap.parse_args()
    agent = A2C(BanditEnv(), device="cuda" if torch.cuda.is_available() else "cpu")
    for i in range(args.updates):
        print(i, agent.update())
