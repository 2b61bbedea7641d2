import copy
import torch
from torch import nn


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.ELU()]
    return nn.Sequential(*layers[:-1])


class Imagination:
    """Actor and critic trained in the latent space of a model that is not trained here."""

    def __init__(self, latent=8, act=2, horizon=6, device="cpu"):
        self.dynamics = mlp(latent + act, 32, latent).to(device).requires_grad_(False)
        self.reward = mlp(latent, 16, 1).to(device).requires_grad_(False)
        self.actor = mlp(latent, 32, act).to(device)
        self.critic = mlp(latent, 32, 1).to(device)
        self.slow = copy.deepcopy(self.critic).requires_grad_(False)
        self.opt_a = torch.optim.Adam(self.actor.parameters(), 1e-3)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), 1e-3)
        self.horizon = horizon

    def rollout(self, z):
        zs, rs = [], []
        for _ in range(self.horizon):
            a = torch.tanh(self.actor(z.detach()))
            z = z + self.dynamics(torch.cat([z, a], -1))
            zs.append(z)
            rs.append(self.reward(z).squeeze(-1))
        return torch.stack(zs), torch.stack(rs)

    def returns(self, zs, rs, gamma=0.97, lam=0.9):
        v = self.slow(zs).squeeze(-1)
        out, last = [], v[-1]
        for t in reversed(range(len(rs))):
            last = rs[t] + gamma * ((1 - lam) * v[t] + lam * last)
            out.append(last)
        return torch.stack(out[::-1])

    def update(self, start):
        zs, rs = self.rollout(start)
        ret = self.returns(zs, rs)
        actor_loss = -ret.mean()
        self.opt_a.zero_grad()
        actor_loss.backward()
        self.opt_a.step()
        value = self.critic(zs.detach()).squeeze(-1)
        critic_loss = (value - ret.detach()).pow(2).mean()
        self.opt_c.zero_grad()
        critic_loss.backward()
        self.opt_c.step()
        with torch.no_grad():
            for s, p in zip(self.slow.parameters(), self.critic.parameters()):
                s.lerp_(p, 0.02)
        return actor_loss.item(), critic_loss.item()


dev = "cuda" if torch.cuda.is_available() else "cpu"
agent = Imagination(device=dev)
for i in range(3):
    print(agent.update(torch.randn(16, 8, device=dev)))
