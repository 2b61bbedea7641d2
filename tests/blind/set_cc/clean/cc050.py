from collections import deque

import torch
from torch import nn
from torch.distributions import Categorical


class Corridor:
    """Walk right to the goal; every step costs a little."""

    def __init__(self, length=6):
        self.length = length

    def reset(self):
        self.at = self.t = 0
        return self._obs()

    def _obs(self):
        return torch.nn.functional.one_hot(torch.tensor(self.at), self.length).float()

    def step(self, action):
        self.at = min(max(self.at + (1 if action == 1 else -1), 0), self.length - 1)
        self.t += 1
        goal = self.at == self.length - 1
        return self._obs(), 1.0 if goal else -0.05, goal or self.t >= 20


class Reinforce:
    def __init__(self, env, hidden=16, gamma=0.98, entropy=0.01):
        self.env, self.gamma, self.entropy = env, gamma, entropy
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.policy = nn.Sequential(nn.Linear(env.length, hidden), nn.ReLU(), nn.Linear(hidden, 2)).to(self.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)
        self.recent = deque(maxlen=20)
        self.log_probs, self.entropies, self.rewards = [], [], []

    def _act(self, obs):
        dist = Categorical(logits=self.policy(obs.to(self.device)))
        action = dist.sample()
        self.log_probs.append(dist.log_prob(action))
        self.entropies.append(dist.entropy())
        return action.item()

    def _returns(self):
        out, running = [], 0.0
        for r in reversed(self.rewards):
            running = r + self.gamma * running
            out.append(running)
        out = torch.tensor(out[::-1], device=self.device)
        return (out - out.mean()) / (out.std(unbiased=False) + 1e-6)

    def _learn(self):
        advantage = self._returns()
        loss = -(torch.stack(self.log_probs) * advantage).sum() - self.entropy * torch.stack(self.entropies).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        for kept in (self.log_probs, self.entropies, self.rewards):
            kept.clear()

    def episode(self):
        obs, done = self.env.reset(), False
        while not done:
            obs, reward, done = self.env.step(self._act(obs))
            self.rewards.append(reward)
        self.recent.append(sum(self.rewards))
        self._learn()
        return sum(self.recent) / len(self.recent)


if __name__ == "__main__":
    agent = Reinforce(Corridor())
    for i in range(8):
        print(i, round(agent.episode(), 3))
