import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


class QNet(nn.Module):
    def __init__(self, obs_dim, actions):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim, 32)
        self.fc2 = nn.Linear(32, actions)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class Agent:
    def __init__(self, obs_dim=4, actions=2, gamma=0.99):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.q = QNet(obs_dim, actions).to(self.device)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.memory = deque(maxlen=500)
        self.gamma = gamma
        self.actions = actions

    def act(self, obs, epsilon):
        if random.random() < epsilon:
            return random.randrange(self.actions)
        with torch.no_grad():
            return self.q(obs.to(self.device)).argmax().item()

    def td_loss(self, obs, action, reward, next_obs, done):
        q = self.q(obs).gather(1, action[:, None]).squeeze(1)
        next_q = self.q(next_obs).max(dim=1).values
        target = reward + self.gamma * next_q * (1 - done)
        return F.smooth_l1_loss(q, target)

    def learn(self, batch_size=16):
        if len(self.memory) < batch_size:
            return None
        batch = random.sample(self.memory, batch_size)
        obs, action, reward, next_obs, done = (torch.stack(x).to(self.device) for x in zip(*batch))
        loss = self.td_loss(obs, action, reward, next_obs, done)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def env_step(obs, action):
    next_obs = 0.9 * obs + 0.1 * torch.randn(4) + (0.1 if action else -0.1)
    return next_obs, -next_obs.abs().sum(), next_obs.abs().max() > 2


random.seed(0)
agent = Agent()
obs = torch.randn(4)
for t in range(60):
    action = agent.act(obs, epsilon=max(0.1, 1 - t / 40))
    next_obs, reward, done = env_step(obs, action)
    agent.memory.append((obs, torch.tensor(action), reward, next_obs, done.float()))
    obs = torch.randn(4) if done else next_obs
    loss = agent.learn()
print("last td loss", loss)
