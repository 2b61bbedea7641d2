from collections import deque
from copy import deepcopy
import random

import torch
from torch import nn
import torch.nn.functional as F


def mlp(sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Replay:
    def __init__(self, capacity=1000):
        self.data = deque(maxlen=capacity)

    def add(self, *transition):
        self.data.append(transition)

    def sample(self, n, device):
        rows = random.sample(self.data, n)
        return [torch.stack(column).to(device) for column in zip(*rows)]


class DDPG:
    def __init__(self, obs, act, device, gamma=0.99, tau=0.01):
        self.device, self.gamma, self.tau = device, gamma, tau
        self.actor = mlp([obs, 32, act]).to(device)
        self.critic = mlp([obs + act, 32, 32, 1]).to(device)
        self.actor_target = deepcopy(self.actor).requires_grad_(False)
        self.critic_target = deepcopy(self.critic).requires_grad_(False)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def q(self, net, s, a):
        return net(torch.cat([s, a], dim=1))

    def policy(self, s):
        return torch.tanh(self.actor(s))

    def losses(self, s, a, r, s2):
        with torch.no_grad():
            a2 = torch.tanh(self.actor_target(s2))
            target = r + self.gamma * self.q(self.critic_target, s2, a2)
        critic_loss = F.mse_loss(self.q(self.critic, s, a), target)
        actor_loss = -self.q(self.critic, s, self.policy(s)).mean()
        return critic_loss, actor_loss

    def update(self, batch):
        critic_loss, actor_loss = self.losses(*batch)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        self.soft_update()
        return critic_loss.item()

    @torch.no_grad()
    def soft_update(self):
        for net, target in ((self.actor, self.actor_target), (self.critic, self.critic_target)):
            for p, t in zip(net.parameters(), target.parameters()):
                t.lerp_(p, self.tau)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    memory = Replay()
    for _ in range(64):
        s, a = torch.randn(4), torch.rand(2) * 2 - 1
        memory.add(s, a, -(s[:2] - a).square().sum().view(1), s + 0.1 * torch.randn(4))
    agent = DDPG(4, 2, device)
    for i in range(5):
        value = agent.update(memory.sample(16, device))
    print("critic loss", value)


if __name__ == "__main__":
    main()
