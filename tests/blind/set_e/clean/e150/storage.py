import torch


class Storage:
    def __init__(self, steps, envs, device):
        self.obs = torch.zeros(steps, envs, 2)
        self.act = torch.zeros(steps, envs, 2)
        self.logp = torch.zeros(steps, envs)
        self.rew = torch.zeros(steps, envs)
        self.val = torch.zeros(steps + 1, envs)
        self.device, self.t = device, 0

    def add(self, **items):
        for name, value in items.items():
            getattr(self, name)[self.t] = value
        self.t = (self.t + 1) % len(self.rew)

    def batches(self, size, gamma=0.95, lam=0.9):
        adv, last = torch.zeros_like(self.rew), 0
        for t in reversed(range(len(self.rew))):
            delta = self.rew[t] + gamma * self.val[t + 1] - self.val[t]
            last = delta + gamma * lam * last
            adv[t] = last
        ret = adv + self.val[:-1]
        flat = [x.flatten(0, 1) for x in (self.obs, self.act, self.logp, adv, ret)]
        for idx in torch.randperm(len(flat[0])).split(size):
            yield [x[idx].to(self.device) for x in flat]
