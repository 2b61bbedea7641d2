import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_act, hidden=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, n_act)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        z = self.trunk(obs)
        return Categorical(logits=self.pi(z)), self.v(z).squeeze(-1)


class Agent:
    def __init__(self, n_obs, n_act, gamma=0.99):
        self.net = ActorCritic(n_obs, n_act)
        self.optim = torch.optim.Adam(self.net.parameters(), lr=3e-4)
        self.gamma = gamma

    def returns(self, rewards):
        out, acc = [], 0.0
        for r in reversed(rewards):
            acc = r + self.gamma * acc
            out.append(acc)
        return torch.tensor(out[::-1])

    def update(self, obs, actions, rewards):
        ret = self.returns(rewards)
        dist, value = self.net(obs)
        advantage = ret - value.detach()
        policy_loss = -(dist.log_prob(actions) * advantage).mean()
        value_loss = (ret - value).pow(2).mean()
        self.optim.zero_grad()
        (policy_loss + value_loss).backward()
        self.optim.step()
        return policy_loss.item(), value_loss.item()


def main():
    agent = Agent(4, 2)
    for episode in range(3):
        obs = torch.randn(10, 4)
        with torch.no_grad():
            actions = agent.net(obs)[0].sample()
        rewards = [1.0] * 10
        print(episode, agent.update(obs, actions, rewards))


if __name__ == "__main__":
    main()
