import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self, obs=3, act=1):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, 2 * act))

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, dim=-1)
        dist = Normal(mu, log_std.clamp(-5, 2).exp())
        u = dist.rsample()
        logp = (dist.log_prob(u) - torch.log(1 - u.tanh().pow(2) + 1e-6)).sum(-1)
        return u.tanh(), logp


class TwinQ(nn.Module):
    def __init__(self, obs=3, act=1):
        super().__init__()
        self.q = nn.ModuleList(nn.Sequential(nn.Linear(obs + act, 32), nn.ReLU(), nn.Linear(32, 1)) for _ in range(2))

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return [q(x).squeeze(-1) for q in self.q]


class SAC:
    def __init__(self, device, tau=0.05, gamma=0.95):
        self.actor, self.critic, self.target = Actor().to(device), TwinQ().to(device), TwinQ().to(device)
        self.target.load_state_dict(self.critic.state_dict())
        self.target.requires_grad_(False)
        self.log_alpha = torch.zeros(1, device=device, requires_grad=True)
        self.opt_a = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.opt_t = torch.optim.Adam([self.log_alpha], lr=1e-3)
        self.tau, self.gamma = tau, gamma

    def update(self, s, a, r, s2):
        with torch.no_grad():
            a2, logp2 = self.actor(s2)
            backup = r + self.gamma * (torch.min(*self.target(s2, a2)) - self.log_alpha.exp() * logp2)
        critic_loss = sum(F.mse_loss(q, backup) for q in self.critic(s, a))
        self.opt_c.zero_grad()
        critic_loss.backward()
        self.opt_c.step()

        self.critic.requires_grad_(False)
        pi, logp = self.actor(s)
        actor_loss = (self.log_alpha.exp().detach() * logp - torch.min(*self.critic(s, pi))).mean()
        self.opt_a.zero_grad()
        actor_loss.backward()
        self.opt_a.step()
        self.critic.requires_grad_(True)

        alpha_loss = -(self.log_alpha * (logp.detach() - 1.0)).mean()
        self.opt_t.zero_grad()
        alpha_loss.backward()
        self.opt_t.step()
        with torch.no_grad():
            for p, tp in zip(self.critic.parameters(), self.target.parameters()):
                tp.mul_(1 - self.tau).add_(self.tau * p)
        return critic_loss.item(), actor_loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = SAC(device)
for step in range(4):
    s, s2 = torch.randn(16, 3, device=device), torch.randn(16, 3, device=device)
    a = torch.rand(16, 1, device=device) * 2 - 1
    print(step, agent.update(s, a, -s[:, 0].abs(), s2))
