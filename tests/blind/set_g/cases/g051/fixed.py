import torch
import torch.nn as nn
from torch.distributions import Categorical

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Policy(nn.Module):
    def __init__(self, arms=4):
        super().__init__()
        self.context = nn.Linear(3, 16)
        self.logits = nn.Linear(16, arms)

    def forward(self, context):
        return self.logits(torch.tanh(self.context(context)))


class Bandit:
    def __init__(self, arms=4):
        self.best = torch.randn(3, arms, device=device)

    def pull(self, context, arm):
        return (context @ self.best).gather(1, arm[:, None]).squeeze(1)


def reinforce(policy, optimizer, bandit, batch=32):
    context = torch.randn(batch, 3, device=device)
    dist = Categorical(logits=policy(context))
    arm = dist.sample()
    reward = bandit.pull(context, arm)
    advantage = reward - reward.mean()
    loss = -(dist.log_prob(arm) * advantage).mean() - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return reward.mean().item()


policy = Policy().to(device)
initial = [p.detach().clone() for p in policy.parameters()]
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
bandit = Bandit()

for it in range(5):
    mean_reward = reinforce(policy, optimizer, bandit)
    print(f"iteration {it}: mean reward {mean_reward:+.3f}")
