import torch


class Rollout:
    def __init__(self, steps, envs, n_obs, device):
        self.obs = torch.zeros(steps, envs, n_obs, device=device)
        self.act = torch.zeros(steps, envs, device=device)
        self.logp = torch.zeros(steps, envs, device=device)
        self.val = torch.zeros(steps + 1, envs, device=device)
        self.rew = torch.zeros(steps, envs, device=device)
        self.done = torch.zeros(steps, envs, device=device)

    def advantages(self, gamma=0.99, lam=0.95):
        adv, last = torch.zeros_like(self.rew), 0.0
        for t in reversed(range(len(self.rew))):
            alive = 1.0 - self.done[t]
            delta = self.rew[t] + gamma * self.val[t + 1] * alive - self.val[t]
            last = delta + gamma * lam * alive * last
            adv[t] = last
        return adv, adv + self.val[:-1]

    def minibatches(self, n):
        adv, ret = self.advantages()
        flat = [x.flatten(0, 1) for x in (self.obs, self.act, self.logp, adv, ret)]
        for rows in torch.randperm(flat[0].size(0)).chunk(n):
            yield [x[rows] for x in flat]
