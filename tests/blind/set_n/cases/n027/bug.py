from typing import NamedTuple
import torch
from torch import nn


class Batch(NamedTuple):
    obs: torch.Tensor
    reward: torch.Tensor
    next_obs: torch.Tensor
    done: torch.Tensor


def fake_batch(n, device):
    return Batch(torch.randn(n, 4, device=device), torch.randn(n, device=device),
                 torch.randn(n, 4, device=device), (torch.rand(n, device=device) < 0.1).float())


class ValueAgent:
    gamma = 0.95

    def __init__(self, obs_dim, device):
        self.device = device
        self.critic = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
        self.opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def value(self, obs):
        return self.critic(obs).squeeze(-1)

    def returns(self, b):
        return b.reward + self.gamma * (1 - b.done) * self.value(b.next_obs)

    def update(self, b):
        error = self.value(b.obs) - self.returns(b)
        loss = 0.5 * error.pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
        self.opt.step()
        return loss.item()


agent = ValueAgent(4, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
for it in range(5):
    print(it, agent.update(fake_batch(32, agent.device)))
