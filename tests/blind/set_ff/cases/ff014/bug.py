import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self, obs=3, acts=2, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, acts))

    def forward(self, obs):
        return Categorical(logits=self.net(obs))


class Corridor:
    def reset(self):
        self.pos, self.t = 0.0, 0
        return self._obs()

    def _obs(self):
        return torch.tensor([self.pos, self.t / 20, 1.0])

    def step(self, action):
        self.pos += 0.2 if action == 1 else -0.2
        self.t += 1
        return self._obs(), self.pos, self.t >= 20 or abs(self.pos) > 1


class Rollout:
    def __init__(self):
        self.log_probs, self.rewards = [], []

    def returns(self, gamma):
        acc, out = 0.0, []
        for r in reversed(self.rewards):
            acc = r + gamma * acc
            out.append(acc)
        out = torch.tensor(out[::-1])
        return (out - out.mean()) / (out.std() + 1e-6)


class Reinforce:
    def __init__(self, env, gamma=0.95, lr=1e-2):
        self.env, self.gamma = env, gamma
        self.policy = Policy()
        self.optim = torch.optim.Adam(self.policy.parameters(), lr=lr)

    @torch.no_grad()
    def choose(self, obs):
        dist = self.policy(obs)
        action = dist.sample()
        return action.item(), dist.log_prob(action)

    def play(self):
        rollout = Rollout()
        obs, done = self.env.reset(), False
        while not done:
            action, log_prob = self.choose(obs)
            obs, reward, done = self.env.step(action)
            rollout.log_probs.append(log_prob)
            rollout.rewards.append(reward)
        return rollout

    def improve(self, rollout):
        log_probs = torch.stack(rollout.log_probs)
        loss = -(log_probs * rollout.returns(self.gamma)).sum()
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        return sum(rollout.rewards)


if __name__ == "__main__":
    torch.manual_seed(0)
    agent = Reinforce(Corridor())
    for episode in range(5):
        print(episode, agent.improve(agent.play()))
