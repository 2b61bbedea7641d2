import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))


class TD3:
    def __init__(self, obs, act, device, gamma=0.98, tau=0.01):
        self.gamma, self.tau, self.device = gamma, tau, device
        self.actor = mlp(obs, act).to(device)
        self.critic = nn.ModuleList([mlp(obs + act, 1), mlp(obs + act, 1)]).to(device)
        self.actor_t = copy.deepcopy(self.actor).requires_grad_(False)
        self.critic_t = copy.deepcopy(self.critic).requires_grad_(False)
        self.opt_a = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def q(self, nets, s, a):
        return [n(torch.cat([s, a], dim=1)).squeeze(1) for n in nets]

    def target(self, r, s2, done):
        a2 = torch.tanh(self.actor_t(s2))
        a2 = (a2 + 0.1 * torch.randn_like(a2)).clamp(-1, 1)
        return r + self.gamma * (1 - done) * torch.min(*self.q(self.critic_t, s2, a2))

    def update(self, s, a, r, s2, done):
        y = self.target(r, s2, done)
        loss_c = sum(F.mse_loss(q, y) for q in self.q(self.critic, s, a))
        self.opt_c.zero_grad()
        loss_c.backward()
        self.opt_c.step()

        self.critic.requires_grad_(False)
        loss_a = -self.q(self.critic, s, torch.tanh(self.actor(s)))[0].mean()
        self.opt_a.zero_grad()
        loss_a.backward()
        self.opt_a.step()
        self.critic.requires_grad_(True)
        self.follow()
        return loss_c.item(), loss_a.item()

    @torch.no_grad()
    def follow(self):
        for net, slow in ((self.actor, self.actor_t), (self.critic, self.critic_t)):
            for p, q in zip(net.parameters(), slow.parameters()):
                q.lerp_(p, self.tau)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = TD3(4, 2, device)
for it in range(4):
    s, s2 = torch.randn(32, 4, device=device), torch.randn(32, 4, device=device)
    a = torch.rand(32, 2, device=device) * 2 - 1
    r, done = -s.norm(dim=1), (torch.rand(32, device=device) < 0.1).float()
    print(it, agent.update(s, a, r, s2, done))
