import torch
import torch.nn as nn
from torch.distributions import Normal


class GaussianPolicy(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.mu = nn.Linear(hidden, act_dim)
        self.log_std = nn.Parameter(torch.full((act_dim,), -0.5))

    def forward(self, obs):
        return Normal(self.mu(self.body(obs)), self.log_std.exp())


class PPOAgent:
    def __init__(self, obs_dim, act_dim, clip=0.2, lr=3e-4):
        self.pi = GaussianPolicy(obs_dim, act_dim)
        self.v = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, 1))
        if torch.cuda.is_available():
            self.pi.cuda()
            self.v.cuda()
        self.clip = clip
        self.opt = torch.optim.Adam([*self.pi.parameters(), *self.v.parameters()], lr=lr)

    @property
    def device(self):
        return self.pi.log_std.device

    @torch.no_grad()
    def act(self, obs):
        obs = torch.as_tensor(obs, dtype=torch.float32, device=self.device)
        dist = self.pi(obs)
        a = dist.sample()
        return a, dist.log_prob(a).sum(-1), self.v(obs).squeeze(-1)

    def update(self, obs, act, logp_old, ret, adv, epochs=2):
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(epochs):
            ratio = (self.pi(obs).log_prob(act).sum(-1) - logp_old).exp()
            surr = torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv)
            loss = -surr.mean() + 0.5 * (self.v(obs).squeeze(-1) - ret).pow(2).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.detach()


agent = PPOAgent(3, 1)
obs = [[0.1 * i, -0.2, 0.05 * i] for i in range(16)]
act, logp, value = agent.act(obs)
ret = -act.squeeze(-1).abs()
obs_t = torch.tensor(obs, device=act.device)
print(agent.update(obs_t, act, logp, ret, ret - value).item())
