"""SAC with two critics, target networks and automatic temperature."""
import copy
import random
from collections import deque

import torch
from torch import nn
from torch.nn import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 16), nn.ReLU(), nn.Linear(16, o))


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = mlp(obs, 2 * act)

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, -1)
        std = log_std.clamp(-5, 2).exp()
        raw = mu + std * torch.randn_like(std)
        logp = torch.distributions.Normal(mu, std).log_prob(raw) - torch.log(1 - raw.tanh().pow(2) + 1e-6)
        return raw.tanh(), logp.sum(-1)


class SAC:
    def __init__(self, obs, act, gamma=0.99, tau=0.01):
        self.actor = Actor(obs, act).to(device)
        self.q1, self.q2 = mlp(obs + act, 1).to(device), mlp(obs + act, 1).to(device)
        self.q1_t, self.q2_t = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.log_alpha = torch.zeros(1, requires_grad=True, device=device)
        self.target_entropy = -act
        self.opt_a = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.opt_q = torch.optim.Adam([*self.q1.parameters(), *self.q2.parameters()], lr=3e-4)
        self.opt_alpha = torch.optim.Adam([self.log_alpha], lr=3e-4)
        self.gamma, self.tau = gamma, tau

    def update(self, batch):
        s, a, r, s2 = (torch.stack(c).to(device) for c in zip(*batch))
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            a2, logp2 = self.actor(s2)
            x2 = torch.cat([s2, a2], -1)
            q_next = torch.min(self.q1_t(x2), self.q2_t(x2)).squeeze(-1) - alpha * logp2
            target = r + self.gamma * q_next
        x = torch.cat([s, a], -1)
        q_loss = F.mse_loss(self.q1(x).squeeze(-1), target) + F.mse_loss(self.q2(x).squeeze(-1), target)
        self.opt_q.zero_grad()
        q_loss.backward()
        self.opt_q.step()

        new_a, logp = self.actor(s)
        xq = torch.cat([s, new_a], -1)
        pi_loss = (alpha * logp - torch.min(self.q1(xq), self.q2(xq)).squeeze(-1)).mean()
        self.opt_a.zero_grad()
        pi_loss.backward()
        self.opt_a.step()

        alpha_loss = -(self.log_alpha * (logp + self.target_entropy).detach()).mean()
        self.opt_alpha.zero_grad()
        alpha_loss.backward()
        self.opt_alpha.step()
        self.soft_update()
        return q_loss.item(), pi_loss.item()

    @torch.no_grad()
    def soft_update(self):
        for net, tgt in ((self.q1, self.q1_t), (self.q2, self.q2_t)):
            for p, t in zip(net.parameters(), tgt.parameters()):
                t.mul_(1 - self.tau).add_(p, alpha=self.tau)


def main():
    agent, memory = SAC(3, 1), deque(maxlen=50)
    for _ in range(20):
        memory.append((torch.randn(3), torch.rand(1) * 2 - 1, torch.randn(()), torch.randn(3)))
    for _ in range(2):
        print(agent.update(random.sample(memory, 8)))


if __name__ == "__main__":
    main()
