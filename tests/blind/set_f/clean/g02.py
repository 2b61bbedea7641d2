from dataclasses import dataclass, fields

import torch
from torch import nn


@dataclass
class Storage:
    """Lives on the host; only the minibatches travel."""
    obs: torch.Tensor
    act: torch.Tensor
    ret: torch.Tensor

    @classmethod
    def empty(cls, steps, obs_dim):
        return cls(torch.zeros(steps, obs_dim), torch.zeros(steps, dtype=torch.long), torch.zeros(steps))

    def write(self, i, obs, act, ret):
        self.obs[i] = obs
        self.act[i] = act
        self.ret[i].copy_(ret)

    def batches(self, size, device):
        order = torch.randperm(len(self.act))
        for idx in order.split(size):
            yield {f.name: getattr(self, f.name)[idx].to(device) for f in fields(self)}


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.pi = nn.Linear(obs, actions)
        self.v = nn.Linear(obs, 1)

    def act(self, o):
        with torch.no_grad():
            d = torch.distributions.Categorical(logits=self.pi(o))
            a = d.sample()
        return a, self.v(o).detach().squeeze()


def collect(policy, storage, device):
    for i in range(len(storage.act)):
        obs = torch.randn(4)
        action, value = policy.act(obs.to(device))
        storage.write(i, obs, action, value + 1.0)


def update(policy, optimizer, storage, device):
    for mb in storage.batches(8, device):
        logp = policy.pi(mb["obs"]).log_softmax(-1).gather(1, mb["act"][:, None]).squeeze(1)
        v = policy.v(mb["obs"]).squeeze(-1)
        loss = -(logp * (mb["ret"] - v.detach())).mean() + (v - mb["ret"]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    policy = Policy(4, 3).to(device)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
    store = Storage.empty(16, 4)
    for _ in range(2):
        collect(policy, store, device)
        update(policy, optimizer, store, device)
