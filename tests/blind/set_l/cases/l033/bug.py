from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Rollout:
    obs: torch.Tensor
    act: torch.Tensor
    ret: torch.Tensor


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


class Agent:
    def __init__(self, obs_dim=4, n_act=2):
        self.encoder = mlp(obs_dim, 32, 32)
        self.pi = mlp(32, 32, n_act)
        self.v = mlp(32, 32, 1)
        self.opt_v = torch.optim.Adam([*self.encoder.parameters(), *self.v.parameters()], lr=1e-2)
        self.opt_pi = torch.optim.Adam([*self.encoder.parameters(), *self.pi.parameters()], lr=3e-3)

    def evaluate(self, batch):
        h = torch.tanh(self.encoder(batch.obs))
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)

    def update_critic(self, value, batch):
        loss = F.mse_loss(value, batch.ret)
        self.opt_v.zero_grad()
        loss.backward(retain_graph=True)
        self.opt_v.step()
        return loss.item()

    def update_actor(self, dist, value, batch):
        adv = batch.ret - value.detach()
        loss = -(dist.log_prob(batch.act) * adv).mean() - 0.01 * dist.entropy().mean()
        self.opt_pi.zero_grad()
        loss.backward()
        self.opt_pi.step()
        return loss.item()

    def update(self, batch):
        dist, value = self.evaluate(batch)
        v_loss = self.update_critic(value, batch)
        p_loss = self.update_actor(dist, value, batch)
        return v_loss, p_loss


def collect(n=32):
    obs = torch.randn(n, 4)
    return Rollout(obs, torch.randint(0, 2, (n,)), obs.sum(1))


agent = Agent()
for it in range(4):
    print(it, *agent.update(collect()))
