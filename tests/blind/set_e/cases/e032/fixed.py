import copy

import torch
from torch import nn


class Worker:
    """Collects experience on the host with its own copy of the policy."""

    def __init__(self, policy):
        self.policy = policy

    @torch.no_grad()
    def collect(self, n):
        obs = torch.randn(n, 3)
        logits = self.policy(obs)
        actions = torch.distributions.Categorical(logits=logits).sample()
        return obs, actions, (obs[:, 0] > 0).float() * (actions == 1).float()


def improve(policy, optimizer, obs, actions, rewards):
    logp = torch.log_softmax(policy(obs), -1).gather(1, actions.unsqueeze(1)).squeeze(1)
    loss = -(logp * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main(rounds=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2)).to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for i in range(rounds):
        worker = Worker(copy.deepcopy(policy).to("cpu"))
        batch = [t.to(device) for t in worker.collect(32)]
        print(i, improve(policy, optimizer, *batch))


if __name__ == "__main__":
    main()
