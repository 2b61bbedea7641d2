import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleDQN:
    def __init__(self, obs, actions, device, gamma=0.99, lr=1e-3, sync_every=2):
        self.device = device
        self.gamma = gamma
        self.sync_every = sync_every
        self.updates = 0
        self.online = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, actions)).to(device)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=lr)

    def targets(self, reward, nxt, done):
        with torch.no_grad():
            action = self.online(nxt).argmax(1, keepdim=True)
            value = self.target(nxt).gather(1, action).squeeze(1)
            return reward + self.gamma * value * (1.0 - done)

    def update(self, obs, action, reward, nxt, done):
        q = self.online(obs).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(q, self.targets(reward, nxt, done))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync_every == 0:
            self.target.load_state_dict(self.online.state_dict())
        return loss.item()
