"""REINFORCE on a bandit, with a running baseline."""
import torch
from torch import nn
from torch.distributions import Categorical


class Bandit:
    def __init__(self, means):
        self.means = means

    def pull(self, arm):
        return self.means[arm] + 0.1 * torch.randn(()).item()


def train(policy, bandit, device, episodes=3, pulls=8):
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
    baseline = 0.0
    total_reward = 0
    context = torch.ones(1, 2, device=device)
    for ep in range(episodes):
        log_probs, rewards = [], []
        for _ in range(pulls):
            dist = Categorical(logits=policy(context))
            action = dist.sample()
            log_probs.append(dist.log_prob(action))
            reward = bandit.pull(action.item())
            rewards.append(reward)
            total_reward += reward
        advantage = torch.tensor(rewards, device=device) - baseline
        baseline = 0.9 * baseline + 0.1 * sum(rewards) / len(rewards)
        loss = -(torch.cat(log_probs) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(ep, total_reward, loss.item())


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train(nn.Linear(2, 3).to(device), Bandit([0.1, 0.5, 0.9]), device)
