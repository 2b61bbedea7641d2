"""PPO whose rollouts live in host memory; minibatches are moved when they are used."""
from types import SimpleNamespace

import torch
from torch import nn
from torch.distributions import Normal


class HostBuffer:
    """Preallocated storage on the CPU."""

    def __init__(self, steps, obs, act):
        self.obs = torch.zeros(steps, obs)
        self.act = torch.zeros(steps, act)
        self.logp = torch.zeros(steps)
        self.rew = torch.zeros(steps)
        self.val = torch.zeros(steps)
        self.ptr = 0

    def put(self, obs, act, logp, rew, val):
        i = self.ptr
        self.obs[i] = obs
        self.act[i] = act
        self.logp[i] = logp
        self.rew[i] = rew
        self.val[i] = val
        self.ptr += 1

    def finish(self, gamma=0.98):
        ret = torch.zeros_like(self.rew)
        running = 0.0
        for i in reversed(range(self.ptr)):
            running = self.rew[i] + gamma * running
            ret[i] = running
        adv = ret - self.val
        self.ret, self.adv = ret, (adv - adv.mean()) / (adv.std() + 1e-8)

    def minibatches(self, size, device):
        for idx in torch.randperm(self.ptr).split(size):
            picked = {n: getattr(self, n)[idx].to(device) for n in ("obs", "act", "logp", "ret", "adv")}
            yield SimpleNamespace(**picked)


class GaussianPolicy(nn.Module):
    def __init__(self, obs=3, act=2):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, act))
        self.v = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.zeros(act))

    def forward(self, obs):
        return Normal(self.mu(obs), self.log_std.exp()), self.v(obs).squeeze(-1)


@torch.no_grad()
def collect(policy, steps, device):
    buf = HostBuffer(steps, 3, 2)
    obs = torch.randn(3)
    for _ in range(steps):
        dist, value = policy(obs.to(device))
        action = dist.sample()
        nxt = torch.randn(3)
        buf.put(obs, action, dist.log_prob(action).sum(), -nxt.pow(2).sum(), value)
        obs = nxt
    buf.finish()
    return buf


def update(policy, opt, buf, device, clip=0.2):
    for mb in buf.minibatches(16, device):
        dist, value = policy(mb.obs)
        ratio = (dist.log_prob(mb.act).sum(-1) - mb.logp).exp()
        surrogate = torch.min(ratio * mb.adv, ratio.clamp(1 - clip, 1 + clip) * mb.adv)
        loss = -surrogate.mean() + 0.5 * (value - mb.ret).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    policy = GaussianPolicy().to(device)
    opt = torch.optim.Adam(policy.parameters(), lr=3e-4)
    for _ in range(2):
        update(policy, opt, collect(policy, 32, device), device)
