"""Soft actor-critic, discrete actions, single file."""
import torch
from torch import nn
import torch.nn.functional as F


def mlp(*sizes):
    mods = []
    for i in range(len(sizes) - 1):
        mods.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            mods.append(nn.ReLU())
    return nn.Sequential(*mods)


class Replay:
    def __init__(self, cap, n_obs):
        self.obs = torch.zeros(cap, n_obs)
        self.nxt = torch.zeros(cap, n_obs)
        self.act = torch.zeros(cap, dtype=torch.long)
        self.rew = torch.zeros(cap)
        self.size, self.cap = 0, cap

    def push(self, o, a, r, o2):
        i = self.size % self.cap
        self.obs[i], self.act[i], self.rew[i], self.nxt[i] = o, a, r, o2
        self.size += 1

    def sample(self, n, device):
        i = torch.randint(0, min(self.size, self.cap), (n,))
        return [t[i].to(device) for t in (self.obs, self.act, self.rew, self.nxt)]


class SAC:
    def __init__(self, n_obs, n_act, device, alpha=0.2, gamma=0.99, tau=0.01):
        self.device, self.alpha, self.gamma, self.tau = device, alpha, gamma, tau
        self.pi = mlp(n_obs, 32, n_act).to(device)
        self.q = mlp(n_obs, 32, n_act).to(device)
        self.q_targ = mlp(n_obs, 32, n_act).to(device)
        self.q_targ.load_state_dict(self.q.state_dict())
        self.pi_opt = torch.optim.Adam(self.pi.parameters(), 3e-4)
        self.q_opt = torch.optim.Adam(self.q.parameters(), 3e-4)

    def policy(self, obs):
        logp = F.log_softmax(self.pi(obs), -1)
        return logp.exp(), logp

    def critic_loss(self, obs, act, rew, nxt):
        with torch.no_grad():
            p, logp = self.policy(nxt)
            v = (p * (self.q_targ(nxt) - self.alpha * logp)).sum(-1)
        return F.mse_loss(self.q(obs).gather(1, act[:, None])[:, 0], rew + self.gamma * v)

    def actor_loss(self, obs):
        p, logp = self.policy(obs)
        return (p * (self.alpha * logp - self.q(obs))).sum(-1).mean()

    def update(self, batch):
        loss_q = self.critic_loss(*batch)
        loss_pi = self.actor_loss(batch[0])
        self.q_opt.zero_grad()
        loss_q.backward()
        self.q_opt.step()
        self.pi_opt.zero_grad()
        loss_pi.backward()
        self.pi_opt.step()
        self.sync()
        return loss_q.item(), loss_pi.item()

    @torch.no_grad()
    def sync(self):
        for p, t in zip(self.q.parameters(), self.q_targ.parameters()):
            t.lerp_(p, self.tau)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, memory = SAC(4, 3, device), Replay(100, 4)
    for _ in range(64):
        memory.push(torch.randn(4), torch.randint(3, ()), torch.randn(()), torch.randn(4))
    for step in range(3):
        print(agent.update(memory.sample(16, device)))
