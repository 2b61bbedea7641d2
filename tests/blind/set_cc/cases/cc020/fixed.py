from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F
from torch.distributions import Normal


@dataclass
class Batch:
    obs: torch.Tensor
    act: torch.Tensor
    rew: torch.Tensor
    nxt: torch.Tensor
    done: torch.Tensor


def fake_batch(n, device):
    return Batch(torch.randn(n, 5, device=device), torch.randn(n, 2, device=device), torch.randn(n, 1, device=device),
                 torch.randn(n, 5, device=device), torch.zeros(n, 1, device=device))


class Policy(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, 2 * act))

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, dim=-1)
        dist = Normal(mu, log_std.clamp(-5, 2).exp())
        action = dist.rsample()
        return action, dist.log_prob(action).sum(-1, keepdim=True)


class SoftActorCritic:
    """Soft actor-critic without a target network, with layer norm in the critic instead."""

    def __init__(self, obs=5, act=2, gamma=0.99, alpha=0.1):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.gamma, self.alpha = gamma, alpha
        self.policy = Policy(obs, act).to(self.device)
        self.critic = nn.Sequential(nn.Linear(obs + act, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 1)).to(self.device)
        self.policy_opt = torch.optim.Adam(self.policy.parameters(), lr=3e-4)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=3e-4)

    def q(self, obs, act):
        return self.critic(torch.cat([obs, act], dim=-1))

    @torch.no_grad()
    def td_target(self, batch):
        action, logp = self.policy(batch.nxt)
        value = self.q(batch.nxt, action) - self.alpha * logp
        return batch.rew + self.gamma * (1 - batch.done) * value

    def update_critic(self, batch):
        target = self.td_target(batch)
        loss = F.mse_loss(self.q(batch.obs, batch.act), target)
        self.critic_opt.zero_grad()
        loss.backward()
        self.critic_opt.step()
        return loss.item()

    def update_policy(self, batch):
        action, logp = self.policy(batch.obs)
        self.critic.requires_grad_(False)
        loss = (self.alpha * logp - self.q(batch.obs, action)).mean()
        self.critic.requires_grad_(True)
        self.policy_opt.zero_grad()
        loss.backward()
        self.policy_opt.step()
        return loss.item()


agent = SoftActorCritic()
for step in range(5):
    batch = fake_batch(16, agent.device)
    logs = agent.update_critic(batch), agent.update_policy(batch)
print(logs)
