import copy

import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.q1 = nn.Sequential(nn.Linear(obs + act, 16), nn.ReLU(), nn.Linear(16, 1))
        self.q2 = nn.Sequential(nn.Linear(obs + act, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, obs, act):
        x = torch.cat([obs, act], 1)
        return self.q1(x).squeeze(1), self.q2(x).squeeze(1)


class TD3:
    def __init__(self, obs, act, device, gamma=0.99, noise=0.2):
        self.device = device
        self.actor = nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, act), nn.Tanh()).to(device)
        self.actor_target = copy.deepcopy(self.actor)
        self.critic = Critic(obs, act).to(device)
        self.critic_target = copy.deepcopy(self.critic)
        self.opt = torch.optim.Adam(self.critic.parameters(), lr=3e-4)
        self.gamma, self.noise = gamma, noise

    def train(self, replay, batch=8):
        obs, act, rew, nxt = replay.sample(batch, self.device)
        with torch.no_grad():
            smooth = (torch.randn_like(act) * self.noise).clamp(-0.5, 0.5)
            nxt_act = (self.actor_target(nxt) + smooth).clamp(-1, 1)
            target = rew + self.gamma * torch.min(*self.critic_target(nxt, nxt_act))
        q1, q2 = self.critic(obs, act)
        loss = F.mse_loss(q1, target) + F.mse_loss(q2, target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
