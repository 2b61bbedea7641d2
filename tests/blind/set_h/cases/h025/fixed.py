import torch
import torch.nn as nn
from torch.distributions import Normal


class Pendulum:
    """Crude pendulum, batch of environments stepped together."""

    def __init__(self, n, device):
        self.n, self.device = n, device

    def reset(self):
        self.theta = (torch.rand(self.n, device=self.device) - 0.5) * 2
        self.omega = torch.zeros(self.n, device=self.device)
        return self.obs()

    def obs(self):
        return torch.stack([self.theta.cos(), self.theta.sin(), self.omega], dim=1)

    def step(self, torque):
        self.omega = (self.omega + 0.05 * (9.8 * self.theta.sin() + torque.clamp(-2, 2))).clamp(-8, 8)
        self.theta = self.theta + 0.05 * self.omega
        return self.obs(), -(self.theta ** 2 + 0.1 * self.omega ** 2)


class Agent(nn.Module):
    def __init__(self, obs=3, hidden=32):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.log_std = nn.Parameter(torch.full((1,), -0.5))

    def dist(self, obs):
        return Normal(self.mu(obs).squeeze(-1), self.log_std.exp())

    def act(self, obs):
        d = self.dist(obs)
        a = d.sample()
        return a, d.log_prob(a)


class Reinforce:
    def __init__(self, env, agent, gamma=0.95, lr=1e-2):
        self.env, self.agent, self.gamma = env, agent, gamma
        self.opt = torch.optim.Adam(agent.parameters(), lr=lr)

    def episode(self, horizon=20):
        obs, logps, rewards = self.env.reset(), [], []
        for _ in range(horizon):
            a, logp = self.agent.act(obs)
            obs, r = self.env.step(a)
            logps.append(logp)
            rewards.append(r)
        return torch.stack(logps), torch.stack(rewards)

    def update(self):
        logps, rewards = self.episode()
        returns = torch.zeros_like(rewards)
        run = torch.zeros_like(rewards[0])
        for t in reversed(range(len(rewards))):
            run = rewards[t] + self.gamma * run
            returns[t] = run
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        loss = -(logps * returns).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return rewards.sum(0).mean().item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    algo = Reinforce(Pendulum(16, device), Agent().to(device))
    for i in range(4):
        print(i, algo.update())
