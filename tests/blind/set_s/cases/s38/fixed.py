import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(inp, out, hidden=32, final=None):
    layers = [nn.Linear(inp, hidden), nn.ReLU(), nn.Linear(hidden, out)]
    return nn.Sequential(*layers, *([final] if final else []))


class DDPG:
    def __init__(self, obs_dim, act_dim, device, gamma=0.95, tau=0.01):
        self.actor = mlp(obs_dim, act_dim, final=nn.Tanh()).to(device)
        self.critic = mlp(obs_dim + act_dim, 1).to(device)
        self.target_actor = copy.deepcopy(self.actor).requires_grad_(False)
        self.target_critic = copy.deepcopy(self.critic).requires_grad_(False)
        self.actor_opt = torch.optim.SGD(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.SGD(self.critic.parameters(), lr=1e-2)
        self.gamma, self.tau = gamma, tau

    def q(self, net, obs, act):
        return net(torch.cat([obs, act], dim=-1)).squeeze(-1)

    def update(self, obs, act, rew, nxt, done):
        with torch.no_grad():
            target = rew + self.gamma * (1 - done) * self.q(self.target_critic, nxt, self.target_actor(nxt))
        critic_loss = F.mse_loss(self.q(self.critic, obs, act), target)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        actor_loss = -self.q(self.critic, obs, self.actor(obs)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()

        self.soft_update(self.critic, self.target_critic)
        self.soft_update(self.actor, self.target_actor)
        return critic_loss.detach(), actor_loss.detach()

    @torch.no_grad()
    def soft_update(self, net, target):
        for p, t in zip(net.parameters(), target.parameters()):
            t.lerp_(p, self.tau)


def sample(n, device):
    obs, nxt = torch.randn(n, 3, device=device), torch.randn(n, 3, device=device)
    act = torch.rand(n, 1, device=device) * 2 - 1
    rew = -(obs[:, 0] - act[:, 0]).square()
    return obs, act, rew, nxt, torch.zeros(n, device=device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = DDPG(3, 1, device)
for step in range(20):
    losses = agent.update(*sample(32, device))
    if step % 5 == 0:
        print(step, [round(v.item(), 4) for v in losses])
