import torch
import torch.nn as nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self, obs, act, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU(), nn.Linear(hidden, 2 * act))

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, dim=-1)
        dist = Normal(mu, log_std.clamp(-4, 1).exp())
        raw = dist.rsample()
        act = raw.tanh()
        return act, (dist.log_prob(raw) - torch.log(1 - act ** 2 + 1e-6)).sum(-1)

    @torch.no_grad()
    def explore(self, obs):
        t = torch.as_tensor(obs, device=self.net[0].weight.device)[None]
        return self(t)[0][0].cpu().numpy()


class Twin(nn.Module):
    def __init__(self, obs, act, hidden=24):
        super().__init__()
        self.qs = nn.ModuleList(
            nn.Sequential(nn.Linear(obs + act, hidden), nn.ReLU(), nn.Linear(hidden, 1)) for _ in range(2)
        )

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return torch.cat([q(x) for q in self.qs], -1)
