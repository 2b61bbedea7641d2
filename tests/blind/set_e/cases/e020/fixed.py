import torch
import torch.nn.functional as F
from torch import nn, optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class A2C:
    def __init__(self, obs=4, act=2, gamma=0.95):
        self.actor = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, act)).to(device)
        self.critic = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
        self.opt_actor = optim.Adam(self.actor.parameters(), lr=1e-3)
        self.opt_critic = optim.Adam(self.critic.parameters(), lr=1e-3)
        self.gamma = gamma

    def update(self, obs, act, rew, nxt):
        value = self.critic(obs).squeeze(1)
        with torch.no_grad():
            target = rew + self.gamma * self.critic(nxt).squeeze(1)
        advantage = target - value

        critic_loss = advantage.pow(2).mean()
        self.opt_critic.zero_grad()
        critic_loss.backward()
        self.opt_critic.step()

        logp = F.log_softmax(self.actor(obs), -1).gather(1, act.unsqueeze(1)).squeeze(1)
        actor_loss = -(logp * advantage.detach()).mean()
        self.opt_actor.zero_grad()
        actor_loss.backward()
        self.opt_actor.step()
        return actor_loss.item(), critic_loss.item()


if __name__ == "__main__":
    agent = A2C()
    for _ in range(2):
        batch = (
            torch.randn(8, 4, device=device),
            torch.randint(0, 2, (8,), device=device),
            torch.randn(8, device=device),
            torch.randn(8, 4, device=device),
        )
        print(agent.update(*batch))
