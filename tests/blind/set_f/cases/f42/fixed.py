import copy

import torch
from torch import nn
from torch.optim import Adam


def net(i, o, h=24):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o))


class DeterministicAgent:
    """Actor and critic of DDPG with delayed targets."""

    tau = 0.05

    def __init__(self, obs, act, device):
        self.device = device
        self.actor = net(obs, act).to(device)
        self.critic = net(obs + act, 1).to(device)
        self.target_actor = copy.deepcopy(self.actor).requires_grad_(False)
        self.target_critic = copy.deepcopy(self.critic).requires_grad_(False)
        self.actor_opt = Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = Adam(self.critic.parameters(), lr=1e-3)

    def q(self, s, a):
        return self.critic(torch.cat([s, a], -1)).squeeze(-1)

    def bootstrap(self, r, s2, done, gamma=0.98):
        a2 = self.target_actor(s2).tanh()
        q2 = self.target_critic(torch.cat([s2, a2], -1)).squeeze(-1)
        return r + gamma * (1 - done) * q2

    def sync(self):
        with torch.no_grad():
            for live, slow in ((self.actor, self.target_actor), (self.critic, self.target_critic)):
                for p, q in zip(live.parameters(), slow.parameters()):
                    q.lerp_(p, self.tau)

    def update(self, s, a, r, s2, done):
        critic_loss = (self.q(s, a) - self.bootstrap(r, s2, done)).pow(2).mean()
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()
        actor_loss = -self.q(s, self.actor(s).tanh()).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        self.sync()
        return critic_loss.item(), actor_loss.item()


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = DeterministicAgent(3, 2, dev)
    for _ in range(3):
        batch = [torch.randn(8, 3), torch.rand(8, 2) * 2 - 1, torch.rand(8), torch.randn(8, 3), torch.zeros(8)]
        print(agent.update(*(t.to(dev) for t in batch)))
