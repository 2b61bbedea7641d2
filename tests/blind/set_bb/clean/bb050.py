import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal


class VecEnv:
    def __init__(self, n=4):
        self.n = n

    def reset(self):
        self.s = np.random.uniform(-1, 1, (self.n, 2)).astype(np.float32)
        self.t = 0
        return self.s.copy()

    def step(self, a):
        self.s[:, 1] += 0.1 * np.clip(a[:, 0], -1, 1)
        self.s[:, 0] += 0.1 * self.s[:, 1]
        self.t += 1
        done = np.full(self.n, self.t % 10 == 0, dtype=np.float32)
        return self.s.copy(), -np.abs(self.s[:, 0]), done


class ActorCritic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, 32), nn.Tanh(), nn.Linear(32, act))
        self.v = nn.Sequential(nn.Linear(obs, 32), nn.Tanh(), nn.Linear(32, 1))
        self.log_std = nn.Parameter(torch.zeros(act))

    def dist(self, s):
        mu = self.pi(s)
        return Normal(mu, self.log_std.exp().expand_as(mu))

    def evaluate(self, s, a):
        d = self.dist(s)
        return d.log_prob(a).sum(-1), d.entropy().sum(-1), self.v(s).squeeze(-1)


class Rollout:
    def __init__(self, T, n, device):
        z = lambda *k: torch.zeros(T, n, *k, device=device)
        self.data = {"s": z(2), "a": z(1), "logp": z(), "r": z(), "d": z(), "v": z()}
        self.t = 0

    def add(self, **row):
        for k, v in row.items():
            self.data[k][self.t] = torch.as_tensor(v)
        self.t += 1

    def gae(self, last, gamma=0.99, lam=0.95):
        d, adv, run = self.data, torch.zeros_like(self.data["r"]), 0.0
        for t in reversed(range(self.t)):
            mask = 1 - d["d"][t]
            delta = d["r"][t] + gamma * last * mask - d["v"][t]
            run = delta + gamma * lam * mask * run
            adv[t] = run
            last = d["v"][t]
        flat = {k: v.flatten(0, 1) for k, v in d.items()}
        flat["adv"], flat["ret"] = adv.flatten(), (adv + d["v"]).flatten()
        return flat


class PPO:
    def __init__(self, env, device, T=16, clip=0.2):
        self.env, self.device, self.T, self.clip = env, device, T, clip
        self.net = ActorCritic(2, 1).to(device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3, eps=1e-5)
        self.obs = env.reset()

    def tensor(self, a):
        return torch.as_tensor(a, device=self.device)

    @torch.no_grad()
    def collect(self):
        buf = Rollout(self.T, self.env.n, self.device)
        for _ in range(self.T):
            s = self.tensor(self.obs)
            pi = self.net.dist(s)
            a = pi.sample()
            self.obs, r, done = self.env.step(a.cpu().numpy())
            buf.add(s=s, a=a, logp=pi.log_prob(a).sum(-1), r=r, d=done, v=self.net.v(s).squeeze(-1))
        return buf.gae(self.net.v(self.tensor(self.obs)).squeeze(-1))

    def update(self, b, epochs=3, mb=16):
        kl = []
        for _ in range(epochs):
            for idx in torch.randperm(len(b["adv"])).split(mb):
                logp, ent, v = self.net.evaluate(b["s"][idx], b["a"][idx])
                adv = b["adv"][idx]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                ratio = (logp - b["logp"][idx]).exp()
                surr = torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv)
                loss = -surr.mean() + 0.5 * (v - b["ret"][idx]).square().mean() - 0.01 * ent.mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.opt.step()
                kl.append((b["logp"][idx] - logp.detach()).mean().item())
        return sum(kl) / len(kl)


np.random.seed(0)
algo = PPO(VecEnv(), torch.device("cuda" if torch.cuda.is_available() else "cpu"))
for it in range(3):
    batch = algo.collect()
    print(it, round(batch["r"].mean().item(), 3), round(algo.update(batch), 5))
