import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


class RingBuffer:
    def __init__(self, capacity, obs_dim, act_dim, device):
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.act = np.zeros((capacity, act_dim), dtype=np.float32)
        self.rew = np.zeros(capacity, dtype=np.float32)
        self.done = np.zeros(capacity, dtype=np.float32)
        self.capacity, self.size, self.ptr, self.device = capacity, 0, 0, device

    def add(self, o, a, r, o2, d):
        i = self.ptr
        self.obs[i], self.act[i], self.rew[i], self.next_obs[i], self.done[i] = o, a, r, o2, d
        self.ptr = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        idx = np.random.randint(0, self.size, size=n)
        parts = (self.obs, self.act, self.rew, self.next_obs, self.done)
        return tuple(torch.as_tensor(p[idx], device=self.device) for p in parts)


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, 2 * act_dim))

    def forward(self, obs):
        mu, log_std = self.body(obs).chunk(2, dim=-1)
        dist = Normal(mu, log_std.clamp(-5, 2).exp())
        raw = dist.rsample()
        act = torch.tanh(raw)
        logp = (dist.log_prob(raw) - torch.log(1 - act.pow(2) + 1e-6)).sum(-1)
        return act, logp


class SAC:
    def __init__(self, obs_dim, act_dim, device, gamma=0.99, tau=0.005):
        self.device, self.gamma, self.tau = device, gamma, tau
        self.actor = Actor(obs_dim, act_dim).to(device)
        self.q = nn.ModuleList([
            nn.Sequential(nn.Linear(obs_dim + act_dim, 32), nn.ReLU(), nn.Linear(32, 1)) for _ in range(2)
        ]).to(device)
        self.q_target = copy.deepcopy(self.q).requires_grad_(False)
        self.log_alpha = torch.zeros(1, requires_grad=True, device=device)
        self.target_entropy = -float(act_dim)
        self.opt_q = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.opt_pi = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.opt_alpha = torch.optim.Adam([self.log_alpha], lr=1e-3)

    def act(self, obs):
        with torch.no_grad():
            action, _ = self.actor(torch.as_tensor(obs, device=self.device).unsqueeze(0))
        return action.squeeze(0).cpu().numpy()

    @staticmethod
    def values(nets, o, a):
        oa = torch.cat([o, a], dim=-1)
        return [net(oa).squeeze(-1) for net in nets]

    def update(self, batch):
        o, a, r, o2, d = batch
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            a2, logp2 = self.actor(o2)
            backup = r + self.gamma * (1 - d) * (torch.min(*self.values(self.q_target, o2, a2)) - alpha * logp2)
        loss_q = sum(F.mse_loss(q, backup) for q in self.values(self.q, o, a))
        self.opt_q.zero_grad()
        loss_q.backward()
        self.opt_q.step()

        self.q.requires_grad_(False)
        pi, logp = self.actor(o)
        loss_pi = (alpha * logp - torch.min(*self.values(self.q, o, pi))).mean()
        self.opt_pi.zero_grad()
        loss_pi.backward()
        self.opt_pi.step()
        self.q.requires_grad_(True)

        loss_alpha = -(self.log_alpha * (logp.detach() + self.target_entropy)).mean()
        self.opt_alpha.zero_grad()
        loss_alpha.backward()
        self.opt_alpha.step()

        with torch.no_grad():
            for p, pt in zip(self.q.parameters(), self.q_target.parameters()):
                pt.mul_(1 - self.tau).add_(p, alpha=self.tau)
        return loss_q.item(), loss_pi.item()


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, buf = SAC(3, 1, device), RingBuffer(200, 3, 1, device)
    obs = np.random.randn(3).astype(np.float32)
    for t in range(60):
        act = agent.act(obs)
        nxt = (0.9 * obs + 0.1 * act).astype(np.float32)
        buf.add(obs, act, -float(np.abs(nxt).sum()), nxt, float(t % 20 == 19))
        obs = nxt
        if t >= 32:
            stats = agent.update(buf.sample(16))
    print(stats)


if __name__ == "__main__":
    main()
