import torch
from torch import nn
import torch.nn.functional as F


class Dueling(nn.Module):
    def __init__(self, obs, actions, hidden=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU())
        self.value, self.adv = nn.Linear(hidden, 1), nn.Linear(hidden, actions)

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        return self.value(h) + a - a.mean(-1, keepdim=True)


class DQN:
    """Value learning without a separate target network."""

    def __init__(self, obs, actions, lr=1e-3, gamma=0.97, n_step=1, device="cpu"):
        self.q = Dueling(obs, actions).to(device)
        self.opt = torch.optim.RMSprop(self.q.parameters(), lr=lr)
        self.gamma = gamma ** n_step

    def gather_target(self, reward, next_obs, done):
        with torch.no_grad():
            best = self.q(next_obs).max(-1).values
        return reward + self.gamma * (1.0 - done) * best

    def loss(self, batch):
        q = self.q(batch["obs"]).gather(1, batch["action"].unsqueeze(1)).squeeze(1)
        target = self.gather_target(batch["reward"], batch["next_obs"], batch["done"])
        return F.smooth_l1_loss(q, target)

    def update(self, batch):
        loss = self.loss(batch)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 5.0)
        self.opt.step()
        return loss.item()
