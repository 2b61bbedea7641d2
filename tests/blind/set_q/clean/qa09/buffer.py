from typing import NamedTuple

import torch


class Batch(NamedTuple):
    obs: torch.Tensor
    act: torch.Tensor
    logp: torch.Tensor
    adv: torch.Tensor
    ret: torch.Tensor


class RolloutBuffer:
    def __init__(self, T, N, obs_dim, act_dim, device, gamma=0.99, lam=0.95):
        self.gamma, self.lam, self.T = gamma, lam, T
        kw = dict(device=device)
        self.obs = torch.zeros(T, N, obs_dim, **kw)
        self.act = torch.zeros(T, N, act_dim, **kw)
        self.logp, self.val, self.rew, self.done, self.adv = (torch.zeros(T, N, **kw) for _ in range(5))
        self.ptr = 0

    def add(self, obs, act, logp, val, rew, done):
        for store, item in zip((self.obs, self.act, self.logp, self.val, self.rew, self.done),
                               (obs, act, logp, val, rew, done)):
            store[self.ptr].copy_(item)
        self.ptr += 1

    def finish(self, last):
        gae = torch.zeros_like(last)
        for t in reversed(range(self.T)):
            nxt = last if t == self.T - 1 else self.val[t + 1]
            mask = 1.0 - self.done[t]
            delta = self.rew[t] + self.gamma * nxt * mask - self.val[t]
            gae = delta + self.gamma * self.lam * mask * gae
            self.adv[t] = gae
        self.ptr = 0

    def minibatches(self, size):
        ret = (self.adv + self.val).flatten()
        adv = self.adv.flatten()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        flat = Batch(self.obs.flatten(0, 1), self.act.flatten(0, 1), self.logp.flatten(), adv, ret)
        for idx in torch.randperm(adv.numel()).split(size):
            yield Batch(*(f[idx] for f in flat))
