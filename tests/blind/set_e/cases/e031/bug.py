import numpy as np
import torch
from torch import nn


class CartPoleish:
    def reset(self, seed=None):
        self.state = np.random.default_rng(seed).uniform(-0.05, 0.05, 4).astype(np.float32)
        return self.state, {}

    def step(self, action):
        push = 1.0 if action == 1 else -1.0
        self.state = self.state + 0.02 * np.array([self.state[1], push, self.state[3], -push], dtype=np.float32)
        return self.state, 1.0, bool(abs(self.state[0]) > 2.4), False, {}


def select(net, state, eps, device):
    if np.random.rand() < eps:
        return np.random.randint(2)
    with torch.no_grad():
        return int(net(state.to(device)).argmax())


def rollout(steps, eps=0.0):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    env = CartPoleish()
    state, _ = env.reset(seed=0)
    total = 0.0
    for _ in range(steps):
        action = select(net, state, eps, device)
        state, reward, terminated, truncated, _ = env.step(action)
        total += reward
        if terminated or truncated:
            state, _ = env.reset()
    return total


if __name__ == "__main__":
    print(rollout(20, eps=0.1))
