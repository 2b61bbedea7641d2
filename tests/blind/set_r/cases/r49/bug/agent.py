import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Dueling(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 32), nn.ReLU())
        self.value = nn.Linear(32, 1)
        self.advantage = nn.Linear(32, n_act)

    def forward(self, obs):
        h = self.body(obs)
        a = self.advantage(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


class Agent:
    def __init__(self, n_obs, n_act, gamma=0.98, lr=1e-3):
        self.q = Dueling(n_obs, n_act)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma = gamma
        self.n_act = n_act

    @torch.no_grad()
    def act(self, obs, eps=0.1):
        if random.random() < eps:
            return random.randrange(self.n_act)
        return self.q(obs.unsqueeze(0)).argmax(1).item()

    def loss(self, batch):
        q = self.q(batch.obs).gather(1, batch.action.unsqueeze(1)).squeeze(1)
        best = self.q(batch.next_obs).max(dim=1).values
        target = batch.reward + self.gamma * (1 - batch.done) * best
        return F.smooth_l1_loss(q, target)

    def learn(self, replay, n=16):
        loss = self.loss(replay.sample(n))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()
