from typing import List

import torch

from policy import Policy, Transition


class Bandit:
    def reset(self):
        self.s = torch.randn(3)
        return self.s

    def step(self, action):
        reward = 1.0 if (self.s.sum().item() > 0) == bool(action) else 0.0
        return self.reset(), reward


class Reinforce:
    def __init__(self, policy, lr=1e-2):
        self.policy = policy
        self.optimizer = torch.optim.Adam(policy.parameters(), lr=lr)
        self.baseline = 0.0

    def episode(self, env, length=10) -> List[Transition]:
        s, out = env.reset(), []
        for _ in range(length):
            a, lp = self.policy.act(s)
            nxt, r = env.step(a)
            out.append(Transition(s, a, r, lp))
            s = nxt
        return out

    def learn(self, episode: List[Transition]):
        rewards = torch.tensor([t.reward for t in episode])
        self.baseline = 0.9 * self.baseline + 0.1 * rewards.mean().item()
        log_probs = torch.stack([t.log_prob for t in episode])
        loss = -(log_probs * (rewards - self.baseline)).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


if __name__ == "__main__":
    agent, env = Reinforce(Policy()), Bandit()
    for _ in range(3):
        agent.learn(agent.episode(env))
