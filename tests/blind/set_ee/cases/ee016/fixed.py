import numpy as np
import torch
import torch.nn as nn


class Bandit:
    def __init__(self, n_arms=5, seed=0):
        self.rng = np.random.default_rng(seed)
        self.means = self.rng.normal(size=n_arms)

    def context(self):
        return self.rng.normal(size=3).astype(np.float32)

    def pull(self, arm):
        return float(self.means[arm] + 0.1 * self.rng.normal())


class Agent(nn.Module):
    def __init__(self, n_arms, n_ctx=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_ctx, 16), nn.ReLU(), nn.Linear(16, n_arms))

    def forward(self, ctx):
        return torch.softmax(self.body(ctx), dim=-1)


class Runner:
    def __init__(self, bandit, agent, lr=0.01):
        self.bandit = bandit
        self.agent = agent
        self.opt = torch.optim.Adam(agent.parameters(), lr=lr)
        self.rng = np.random.default_rng(99)
        self.baseline = 0.0

    def choose(self, ctx):
        probs = self.agent(torch.from_numpy(ctx))
        weights = probs.detach().numpy().astype(np.float64)
        arm = self.rng.choice(len(weights), p=weights / weights.sum())
        return int(arm), torch.log(probs[arm])

    def step(self):
        arm, logp = self.choose(self.bandit.context())
        reward = self.bandit.pull(arm)
        loss = -logp * (reward - self.baseline)
        self.baseline += 0.05 * (reward - self.baseline)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return reward


def main():
    torch.manual_seed(1)
    bandit = Bandit()
    runner = Runner(bandit, Agent(len(bandit.means)))
    rewards = [runner.step() for _ in range(50)]
    print("mean of the last ten:", np.mean(rewards[-10:]))


if __name__ == "__main__":
    main()
