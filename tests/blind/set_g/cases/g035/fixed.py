import torch
import torch.nn as nn
import torch.nn.functional as F


class DDPG:
    def __init__(self, obs=4, act=2, device="cpu"):
        self.device = device
        self.actor = nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, act), nn.Tanh()).to(device)
        self.critic = nn.Sequential(nn.Linear(obs + act, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def q(self, obs, action):
        return self.critic(torch.cat([obs, action], dim=-1)).squeeze(-1)

    def update(self, obs, action, returns):
        critic_loss = F.mse_loss(self.q(obs, action), returns)

        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        actor_loss = -self.q(obs, self.actor(obs)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        return critic_loss.item(), actor_loss.item()


def sample_batch(n, device):
    obs = torch.randn(n, 4, device=device)
    action = torch.rand(n, 2, device=device) * 2 - 1
    returns = -(action - obs[:, :2].tanh()).pow(2).sum(-1)
    return obs, action, returns


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    agent = DDPG(device=device)
    for it in range(3):
        critic_loss, actor_loss = agent.update(*sample_batch(32, device))
        print(f"{it}: critic {critic_loss:.3f} actor {actor_loss:.3f}")


if __name__ == "__main__":
    main()
