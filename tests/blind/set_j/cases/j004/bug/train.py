import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

from rollout import Rollout


class ActorCritic(nn.Module):
    def __init__(self, obs=3, actions=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 24), nn.Tanh())
        self.pi, self.v = nn.Linear(24, actions), nn.Linear(24, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def episode(net, device, length=15):
    roll, state = Rollout(), np.random.randn(3).astype(np.float32)
    for _ in range(length):
        dist, value = net(torch.from_numpy(state).to(device))
        action = dist.sample()
        roll.add(dist.log_prob(action), value, 1.0 if action.item() == int(state[0] > 0) else 0.0)
        state = np.random.randn(3).astype(np.float32)
    return roll


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ActorCritic().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for ep in range(3):
        roll = episode(net, device)
        returns, adv = roll.advantages()
        returns = torch.from_numpy(returns).to(device)
        adv = torch.from_numpy(adv).to(device)
        policy_loss = -(torch.stack(roll.log_probs) * adv).mean()
        value_loss = F.mse_loss(torch.stack(roll.values), returns)
        loss = policy_loss + 0.5 * value_loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(ep, sum(roll.rewards))


if __name__ == "__main__":
    main()
