import random

import torch
import torch.nn.functional as F

from networks import QNetwork


class DQNAgent:
    def __init__(self, obs_dim, n_actions, gamma=0.99, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.online = QNetwork(obs_dim, n_actions).to(self.device)
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=lr)
        self.n_actions = n_actions
        self.gamma = gamma

    @torch.no_grad()
    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        obs = torch.as_tensor(obs, dtype=torch.float32, device=self.device)
        return self.online(obs.unsqueeze(0)).argmax(1).item()

    def learn(self, batch):
        obs, action, reward, next_obs, done = batch
        q = self.online(obs).gather(1, action.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            next_q = self.online(next_obs).max(dim=1).values
        target = reward + self.gamma * next_q * (1 - done)
        loss = F.smooth_l1_loss(q, target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()
