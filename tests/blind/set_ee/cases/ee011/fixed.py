import torch
import torch.nn as nn
from torch.distributions import Categorical


class Corridor:
    """Walk right until the end of the corridor."""

    def __init__(self, length=6, limit=20):
        self.length, self.limit = length, limit

    def reset(self):
        self.pos, self.t = 0, 0
        return [self.pos / self.length, 1.0]

    def step(self, action):
        self.pos = max(0, self.pos + (1 if action == 1 else -1))
        self.t += 1
        done = self.pos >= self.length or self.t >= self.limit
        reward = 1.0 if self.pos >= self.length else -0.05
        return [self.pos / self.length, 1.0], reward, done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, obs):
        return Categorical(logits=self.fc(obs))


class Reinforce:
    def __init__(self, gamma=0.97, lr=5e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.policy = Policy().to(self.device)
        self.opt = torch.optim.Adam(self.policy.parameters(), lr=lr)
        self.gamma = gamma

    def act(self, obs):
        dist = self.policy(torch.tensor(obs, device=self.device))
        action = dist.sample()
        return action.item(), dist.log_prob(action)

    def discounted(self, rewards):
        returns, running = [], 0.0
        for r in reversed(rewards):
            running = r + self.gamma * running
            returns.append(running)
        returns.reverse()
        returns = torch.tensor(returns, dtype=torch.float32, device=self.device)
        return (returns - returns.mean()) / (returns.std() + 1e-8)

    def update(self, log_probs, rewards):
        advantage = self.discounted(rewards)
        loss = -(torch.stack(log_probs) * advantage).sum()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def train(episodes=5):
    env, agent = Corridor(), Reinforce()
    for ep in range(episodes):
        obs, done = env.reset(), False
        log_probs, rewards = [], []
        while not done:
            action, lp = agent.act(obs)
            obs, reward, done = env.step(action)
            log_probs.append(lp)
            rewards.append(reward)
        loss = agent.update(log_probs, rewards)
        print(f"ep {ep} return {sum(rewards):.2f} loss {loss:.3f}")


if __name__ == "__main__":
    train()
