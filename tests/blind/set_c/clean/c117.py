"""Optimizer made first, weights moved afterwards."""
import torch
from torch import nn


class Agent:
    def __init__(self, obs, act, hidden=16):
        self.actor = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, act), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(obs + act, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-4)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.device = torch.device("cpu")

    def to(self, device):
        self.device = torch.device(device)
        self.actor.to(self.device)
        self.critic.to(self.device)

    def update(self, obs, act, ret):
        obs, act, ret = (t.to(self.device) for t in (obs, act, ret))
        q = self.critic(torch.cat([obs, act], -1)).squeeze(-1)
        critic_loss = nn.functional.mse_loss(q, ret)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        actor_loss = -self.critic(torch.cat([obs, self.actor(obs)], -1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        return {"critic": critic_loss.item(), "actor": actor_loss.item()}


if __name__ == "__main__":
    agent = Agent(3, 1)
    agent.to("cuda" if torch.cuda.is_available() else "cpu")
    for _ in range(3):
        print(agent.update(torch.randn(8, 3), torch.rand(8, 1), torch.randn(8)))
