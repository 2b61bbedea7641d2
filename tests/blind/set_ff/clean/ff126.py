import copy
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = mlp(obs, 32, 2 * act)

    def forward(self, obs):
        mean, log_std = self.net(obs).chunk(2, -1)
        dist = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        raw = dist.rsample()
        action = raw.tanh()
        logp = (dist.log_prob(raw) - torch.log1p(-action.square() + 1e-6)).sum(-1)
        return action, logp


class Twin(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.heads = nn.ModuleList([mlp(obs + act, 32, 1), mlp(obs + act, 32, 1)])

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return torch.stack([h(x).squeeze(-1) for h in self.heads])


class SAC:
    def __init__(self, obs=3, act=1, device="cpu"):
        self.device = torch.device(device)
        self.actor = Actor(obs, act).to(self.device)
        self.critic = Twin(obs, act).to(self.device)
        self.target = copy.deepcopy(self.critic)
        self.log_alpha = torch.zeros((), device=self.device, requires_grad=True)
        self.opt_actor = torch.optim.Adam(self.actor.parameters(), 1e-3)
        self.opt_critic = torch.optim.Adam(self.critic.parameters(), 1e-3)
        self.opt_alpha = torch.optim.Adam([self.log_alpha], 1e-3)
        self.replay = deque(maxlen=1000)
        self.goal_entropy = -float(act)

    @torch.no_grad()
    def act(self, obs):
        return self.actor(obs.to(self.device))[0].cpu()

    def _critic_loss(self, s, a, r, s2):
        with torch.no_grad():
            a2, logp = self.actor(s2)
            best = self.target(s2, a2).amin(0) - self.log_alpha.exp() * logp
            goal = r + 0.98 * best
        return F.mse_loss(self.critic(s, a), goal.expand(2, -1))

    def learn(self, n=16):
        rows = random.sample(self.replay, n)
        s, a, r, s2 = (torch.stack(c).to(self.device) for c in zip(*rows))
        loss_q = self._critic_loss(s, a, r, s2)
        self.opt_critic.zero_grad()
        loss_q.backward()
        self.opt_critic.step()

        action, logp = self.actor(s)
        self.critic.requires_grad_(False)
        loss_pi = (self.log_alpha.exp().detach() * logp - self.critic(s, action).amin(0)).mean()
        self.critic.requires_grad_(True)
        self.opt_actor.zero_grad()
        loss_pi.backward()
        self.opt_actor.step()

        loss_alpha = -(self.log_alpha * (logp.detach() + self.goal_entropy)).mean()
        self.opt_alpha.zero_grad()
        loss_alpha.backward()
        self.opt_alpha.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.target.parameters()), list(self.critic.parameters()), 0.01)
        return loss_q.item(), loss_pi.item()


def main(steps=40):
    random.seed(0)
    torch.manual_seed(0)
    agent = SAC(device="cuda" if torch.cuda.is_available() else "cpu")
    s = torch.zeros(3)
    for t in range(steps):
        a = agent.act(s)
        s2 = 0.9 * s + 0.1 * a + 0.05 * torch.randn(3)
        agent.replay.append((s, a, -s2.abs().sum(), s2))
        s = s2
        if t >= 32:
            print(t, *(f"{v:.3f}" for v in agent.learn()))


if __name__ == "__main__":
    main()
