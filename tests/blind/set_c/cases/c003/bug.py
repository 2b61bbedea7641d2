import random

import torch
import torch.nn as nn
from torch.distributions import Categorical

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class GridEnv:
    def __init__(self, size=5):
        self.size = size

    def reset(self):
        self.pos = [0, 0]
        self.t = 0
        return self.pos

    def step(self, action):
        dx, dy = [(1, 0), (-1, 0), (0, 1), (0, -1)][action]
        self.pos = [min(max(self.pos[0] + dx, 0), self.size - 1), min(max(self.pos[1] + dy, 0), self.size - 1)]
        self.t += 1
        done = self.pos == [self.size - 1, self.size - 1] or self.t >= 12
        return self.pos, 1.0 if done else -0.1 + 0.01 * random.random(), done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 4))

    def act(self, state):
        state = torch.tensor(state, dtype=torch.float32, device=device).unsqueeze(0)
        dist = Categorical(logits=self.net(state))
        action = dist.sample()
        return action.item(), dist.log_prob(action)


def discounted(rewards, gamma=0.98):
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + gamma * running
        returns.insert(0, running)
    returns = torch.tensor(returns)
    return (returns - returns.mean()) / (returns.std() + 1e-8)


def reinforce(episodes=5):
    env = GridEnv()
    policy = Policy().to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for ep in range(episodes):
        log_probs, rewards = [], []
        state, done = env.reset(), False
        while not done:
            action, log_prob = policy.act(state)
            state, reward, done = env.step(action)
            log_probs.append(log_prob)
            rewards.append(reward)
        returns = discounted(rewards)
        loss = -(torch.cat(log_probs) * returns).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(ep, sum(rewards))


if __name__ == "__main__":
    reinforce()
