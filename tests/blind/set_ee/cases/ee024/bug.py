import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, act), nn.Tanh())

    def forward(self, s):
        return self.net(s)


class Critic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs + act, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, s, a):
        return self.net(torch.cat([s, a], dim=-1)).squeeze(-1)


class DDPG:
    def __init__(self, obs, act, gamma=0.98, tau=0.01):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.actor = Actor(obs, act).to(self.device)
        self.critic = Critic(obs, act).to(self.device)
        self.actor_t = copy.deepcopy(self.actor).requires_grad_(False)
        self.critic_t = copy.deepcopy(self.critic).requires_grad_(False)
        self.opt_a = torch.optim.Adam(self.actor.parameters(), lr=1e-4)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.gamma, self.tau = gamma, tau

    def losses(self, s, a, r, s2):
        with torch.no_grad():
            y = r + self.gamma * self.critic_t(s2, self.actor_t(s2))
        critic_loss = F.mse_loss(self.critic(s, a), y)
        actor_loss = -self.critic(s, self.actor(s)).mean()
        return critic_loss, actor_loss

    def update(self, batch):
        s, a, r, s2 = (t.to(self.device) for t in batch)
        critic_loss, actor_loss = self.losses(s, a, r, s2)

        self.opt_c.zero_grad()
        critic_loss.backward()
        self.opt_c.step()

        self.opt_a.zero_grad()
        actor_loss.backward()
        self.opt_a.step()

        self.soft_update(self.actor, self.actor_t)
        self.soft_update(self.critic, self.critic_t)
        return critic_loss.item(), actor_loss.item()

    @torch.no_grad()
    def soft_update(self, src, dst):
        for p, q in zip(src.parameters(), dst.parameters()):
            q.lerp_(p, self.tau)


def fake_batch(n, obs, act):
    return torch.randn(n, obs), torch.rand(n, act) * 2 - 1, torch.randn(n), torch.randn(n, obs)


if __name__ == "__main__":
    agent = DDPG(3, 1)
    for it in range(5):
        print(it, agent.update(fake_batch(16, 3, 1)))
