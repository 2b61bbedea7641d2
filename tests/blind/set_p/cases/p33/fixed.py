import torch
import torch.nn as nn
from torch.distributions import Categorical


class Corridor:
    def __init__(self, size=6):
        self.size = size

    def reset(self):
        self.at, self.t = 1, 0
        return self.observe()

    def observe(self):
        x = torch.zeros(self.size)
        x[self.at] = 1
        return x

    def step(self, action):
        self.at = max(0, min(self.size - 1, self.at + (1 if action else -1)))
        self.t += 1
        done = self.at == self.size - 1 or self.t >= 15
        return self.observe(), 1.0 if self.at == self.size - 1 else -0.05, done


class Policy(nn.Module):
    def __init__(self, size, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, 2))

    def forward(self, obs):
        return Categorical(logits=self.net(obs))

    def act(self, obs):
        dist = self(obs)
        action = dist.sample()
        return action.item(), dist.log_prob(action)


def rollout(env, policy, device):
    obs, done = env.reset(), False
    log_probs, rewards = [], []
    while not done:
        action, log_prob = policy.act(obs.to(device))
        obs, reward, done = env.step(action)
        log_probs.append(log_prob)
        rewards.append(reward)
    return torch.stack(log_probs), rewards


def discounted(rewards, gamma=0.97):
    out, total = [], 0.0
    for r in reversed(rewards):
        total = r + gamma * total
        out.append(total)
    return torch.tensor(out[::-1])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    env = Corridor()
    policy = Policy(env.size).to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for episode in range(6):
        log_probs, rewards = rollout(env, policy, device)
        returns = discounted(rewards).to(device)
        loss = -(log_probs * (returns - returns.mean())).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(episode, len(rewards), sum(rewards))


if __name__ == "__main__":
    main()
