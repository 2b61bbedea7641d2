"""Deterministic actor-critic on random transitions."""
import torch
from torch import nn


def mlp(i, o, h=32):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, o))


class Replay:
    def __init__(self, size, obs, act):
        self.s = torch.randn(size, obs)
        self.a = torch.randn(size, act).clamp(-1, 1)
        self.r = torch.randn(size, 1)
        self.s2 = torch.randn(size, obs)

    def sample(self, n):
        i = torch.randint(0, self.s.size(0), (n,))
        return self.s[i], self.a[i], self.r[i], self.s2[i]


class DDPG:
    def __init__(self, obs=4, act=2, gamma=0.95):
        self.gamma = gamma
        self.actor = mlp(obs, act)
        self.critic = mlp(obs + act, 1)
        self.pi_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.q_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def q(self, s, a):
        return self.critic(torch.cat([s, a], dim=-1))

    def critic_loss(self, s, a, r, s2):
        with torch.no_grad():
            target = r + self.gamma * self.q(s2, self.actor(s2).tanh())
        return nn.functional.mse_loss(self.q(s, a), target)

    def actor_loss(self, s):
        return -self.q(s, self.actor(s).tanh()).mean()

    def update(self, batch):
        s, a, r, s2 = batch
        q_loss = self.critic_loss(s, a, r, s2)
        pi_loss = self.actor_loss(s)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()

        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        return q_loss.detach(), pi_loss.detach()


if __name__ == "__main__":
    agent, memory = DDPG(), Replay(200, 4, 2)
    for _ in range(4):
        q_loss, pi_loss = agent.update(memory.sample(32)) 
    print(q_loss.item(), pi_loss.item())
