import torch
import torch.nn as nn
import torch.nn.functional as F


class DuelingQ(nn.Module):
    def __init__(self, obs, actions, width=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, width), nn.ReLU())
        self.value = nn.Linear(width, 1)
        self.advantage = nn.Linear(width, actions)

    def forward(self, obs):
        h = self.body(obs)
        adv = self.advantage(h)
        return self.value(h) + adv - adv.mean(1, keepdim=True)


class DQN:
    def __init__(self, device, obs=4, actions=3, gamma=0.97, lr=1e-3):
        self.device = device
        self.actions = actions
        self.gamma = gamma
        self.q = DuelingQ(obs, actions).to(device)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=lr)

    def batch(self, n):
        return {
            "obs": torch.randn(n, 4, device=self.device),
            "next": torch.randn(n, 4, device=self.device),
            "action": torch.randint(0, self.actions, (n, 1), device=self.device),
            "reward": torch.rand(n, device=self.device),
            "done": (torch.rand(n, device=self.device) < 0.1).float(),
        }

    def td_loss(self, b):
        q = self.q(b["obs"]).gather(1, b["action"]).squeeze(1)
        with torch.no_grad():
            best = self.q(b["next"]).max(dim=1).values
        target = b["reward"] + self.gamma * (1 - b["done"]) * best
        return F.smooth_l1_loss(q, target)

    def learn(self, n=32):
        loss = self.td_loss(self.batch(n))
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optimizer.step()
        return loss.item()


def main():
    agent = DQN(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for step in range(3):
        print(step, agent.learn())


if __name__ == "__main__":
    main()
