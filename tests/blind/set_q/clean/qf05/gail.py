import torch
import torch.nn as nn
import torch.nn.functional as F

from experts import Expert, rollout
from trpo import natural_step

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
        self.log_std = nn.Parameter(torch.full((2,), -0.5))

    def dist(self, s):
        return torch.distributions.Normal(self.mean(s), self.log_std.exp())

    @torch.no_grad()
    def sample(self, s):
        return self.dist(s).sample()


def main():
    policy = Policy().to(device)
    disc = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
    opt = torch.optim.Adam(disc.parameters(), lr=3e-3)
    es, ea = rollout(Expert(), 128, device)
    for it in range(5):
        s, a = rollout(policy, 128, device)
        for _ in range(2):
            le, lp = disc(torch.cat([es, ea], 1)), disc(torch.cat([s, a], 1))
            loss = F.binary_cross_entropy_with_logits(le, torch.ones_like(le))
            loss = loss + F.binary_cross_entropy_with_logits(lp, torch.zeros_like(lp))
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            reward = F.softplus(disc(torch.cat([s, a], 1))).squeeze(1)
            adv = (reward - reward.mean()) / (reward.std() + 1e-6)
        kl = natural_step(policy, s, a, adv)
    print(loss.item(), reward.mean().item(), kl)


if __name__ == "__main__":
    main()
