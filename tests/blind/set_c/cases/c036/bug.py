import random
from collections import deque

import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Actor(nn.Module):
    def __init__(self, obs_dim=3, act_dim=1, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, act_dim), nn.Tanh())

    def forward(self, obs):
        return self.net(obs)


class OUNoise:
    def __init__(self, dim, theta=0.15, sigma=0.2):
        self.theta, self.sigma = theta, sigma
        self.state = np.zeros(dim, dtype=np.float32)

    def __call__(self):
        self.state = self.state - self.theta * self.state + self.sigma * np.random.randn(*self.state.shape)
        return self.state.astype(np.float32)


class Pendulum:
    def reset(self):
        self.th, self.om = random.uniform(-3, 3), 0.0
        return self.obs()

    def obs(self):
        return np.array([np.cos(self.th), np.sin(self.th), self.om], dtype=np.float32)

    def step(self, u):
        self.om += 0.05 * (10 * np.sin(self.th) + 3 * float(u[0]))
        self.th += 0.05 * self.om
        return self.obs(), -(self.th**2 + 0.1 * self.om**2)


def act(actor, obs, noise, scale=1.0):
    obs = torch.from_numpy(obs).unsqueeze(0).to(device)
    action = actor(obs).cpu().numpy()[0]
    return np.clip(action + scale * noise(), -1, 1)


def rollout(steps=10):
    env, noise = Pendulum(), OUNoise(1)
    actor = Actor().to(device)
    memory = deque(maxlen=1000)
    obs = env.reset()
    for _ in range(steps):
        a = act(actor, obs, noise)
        nxt, reward = env.step(a)
        memory.append((obs, a, reward, nxt))
        obs = nxt
    return memory


if __name__ == "__main__":
    print(len(rollout()))
