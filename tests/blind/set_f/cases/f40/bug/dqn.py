import torch
from torch import nn


class DuelingQ(nn.Module):
    def __init__(self, obs, actions, h=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, h), nn.ReLU())
        self.adv = nn.Linear(h, actions)
        self.val = nn.Linear(h, 1)

    def forward(self, s):
        h = self.body(s)
        adv = self.adv(h)
        return self.val(h) + adv - adv.mean(-1, keepdim=True)


class DQN:
    def __init__(self, obs, actions, device, gamma=0.98, lr=1e-3):
        self.device, self.gamma = device, gamma
        self.q = DuelingQ(obs, actions).to(device)
        self.optim = torch.optim.Adam(self.q.parameters(), lr=lr)

    def learn(self, batch):
        q = self.q(batch.s).gather(1, batch.a.unsqueeze(1)).squeeze(1)
        best = self.q(batch.s2).max(dim=1).values
        target = batch.r + self.gamma * (1 - batch.done) * best
        loss = nn.functional.smooth_l1_loss(q, target)
        self.optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.q.parameters(), 10)
        self.optim.step()
        return loss.item()
