"""A2C with a rollout storage."""
from dataclasses import dataclass, field
from typing import List

import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class Rollout:
    gamma: float = 0.99
    lam: float = 0.95
    states: List[torch.Tensor] = field(default_factory=list)
    actions: List[torch.Tensor] = field(default_factory=list)
    rewards: List[float] = field(default_factory=list)
    values: List[float] = field(default_factory=list)

    def add(self, state, action, reward, value):
        self.states.append(state)
        self.actions.append(action)
        self.rewards.append(reward)
        self.values.append(value)

    def advantages(self, last_value: float):
        adv, gae, nxt = [], 0.0, last_value
        for r, v in zip(reversed(self.rewards), reversed(self.values)):
            gae = r + self.gamma * nxt - v + self.gamma * self.lam * gae
            adv.insert(0, gae)
            nxt = v
        adv = torch.tensor(adv, dtype=torch.float32)
        returns = adv + torch.tensor(self.values)
        return (adv - adv.mean()) / (adv.std() + 1e-6), returns

    def batch(self):
        return torch.stack(self.states), torch.stack(self.actions)


class ActorCritic(nn.Module):
    def __init__(self, obs, n_actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 32), nn.Tanh())
        self.pi = nn.Linear(32, n_actions)
        self.v = nn.Linear(32, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class Agent:
    def __init__(self, device):
        self.device = device
        self.net = ActorCritic(4, 2).to(device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=3e-3)

    @torch.no_grad()
    def collect(self, steps):
        storage = Rollout()
        state = torch.randn(4, device=self.device)
        for _ in range(steps):
            dist, value = self.net(state)
            action = dist.sample()
            storage.add(state, action, 1.0, value.item())
            state = torch.randn(4, device=self.device)
        return storage, self.net(state)[1].item()

    def update(self, storage, last_value):
        states, actions = storage.batch()
        adv, returns = storage.advantages(last_value)
        dist, values = self.net(states)
        policy_loss = -(dist.log_prob(actions) * adv).mean()
        value_loss = (returns - values).pow(2).mean()
        self.opt.zero_grad()
        (policy_loss + 0.5 * value_loss).backward()
        self.opt.step()


if __name__ == "__main__":
    agent = Agent(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for _ in range(2):
        agent.update(*agent.collect(16))
