import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def net(i, o):
    return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))


class SAC:
    def __init__(self, obs_dim, act_dim, device, gamma=0.98, tau=0.01):
        self.device, self.gamma, self.tau = device, gamma, tau
        self.actor = net(obs_dim, 2 * act_dim).to(device)
        self.critics = nn.ModuleList(net(obs_dim + act_dim, 1) for _ in range(2)).to(device)
        self.targets = copy.deepcopy(self.critics)
        self.targets.requires_grad_(False)
        self.log_alpha = torch.zeros(1, device=device, requires_grad=True)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.critic_opt = torch.optim.Adam(self.critics.parameters(), lr=3e-4)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=3e-4)
        self.target_entropy = -float(act_dim)

    def sample(self, obs):
        mu, log_std = self.actor(obs).chunk(2, -1)
        dist = torch.distributions.Normal(mu, log_std.clamp(-5, 2).exp())
        u = dist.rsample()
        a = torch.tanh(u)
        logp = (dist.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1, keepdim=True)
        return a, logp

    @property
    def alpha(self):
        return self.log_alpha.exp()

    def update(self, batch):
        obs, act, rew, nxt, done = (b.to(self.device) for b in batch)
        with torch.no_grad():
            a2, logp2 = self.sample(nxt)
            sa2 = torch.cat([nxt, a2], -1)
            q_next = torch.min(*(t(sa2) for t in self.targets)) - self.alpha * logp2
            y = rew + self.gamma * (1 - done) * q_next
        sa = torch.cat([obs, act], -1)
        critic_loss = sum(F.mse_loss(c(sa), y) for c in self.critics)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        self.critics.requires_grad_(False)
        a, logp = self.sample(obs)
        q = torch.min(*(c(torch.cat([obs, a], -1)) for c in self.critics))
        actor_loss = (self.alpha.detach() * logp - q).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        self.critics.requires_grad_(True)

        alpha_loss = -(self.log_alpha * (logp.detach() + self.target_entropy)).mean()
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()

        with torch.no_grad():
            for tp, p in zip(self.targets.parameters(), self.critics.parameters()):
                tp.copy_(tp * (1 - self.tau) + p * self.tau)
        return critic_loss.detach(), actor_loss.detach(), self.alpha.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = SAC(4, 2, device)
    logs = []
    for _ in range(15):
        obs, act = torch.randn(32, 4), torch.rand(32, 2) * 2 - 1
        batch = obs, act, -act.pow(2).sum(-1, keepdim=True), torch.randn(32, 4), torch.zeros(32, 1)
        logs.append(agent.update(batch))
    c, a, al = zip(*logs)
    print(torch.stack(c).mean().item(), torch.stack(a).mean().item(), al[-1].item())


if __name__ == "__main__":
    main()
