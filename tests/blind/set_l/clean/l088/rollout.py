from dataclasses import dataclass

import torch


@dataclass
class Rollout:
    obs: torch.Tensor
    act: torch.Tensor
    logp: torch.Tensor
    ret: torch.Tensor
    adv: torch.Tensor

    def minibatches(self, size):
        for idx in torch.randperm(len(self.act)).split(size):
            yield Rollout(*(getattr(self, f)[idx] for f in self.__dataclass_fields__))


@torch.no_grad()
def collect(policy, n, device, gamma=0.9):
    obs = torch.randn(n, 4, device=device)
    dist, value = policy(obs)
    act = dist.sample()
    reward = (act == (obs[:, 0] > 0).long()).float()
    ret = torch.zeros_like(reward)
    running = torch.zeros((), device=device)
    for t in reversed(range(n)):
        running = reward[t] + gamma * running
        ret[t] = running
    adv = ret - value
    return Rollout(obs, act, dist.log_prob(act), ret, (adv - adv.mean()) / (adv.std() + 1e-6))
