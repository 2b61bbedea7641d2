import torch
from torch import nn


class RolloutStorage:
    """Fixed tensors on the training device; slices are filled from host observations."""

    def __init__(self, steps, envs, obs_dim, device):
        self.obs = torch.zeros(steps + 1, envs, obs_dim, device=device)
        self.rewards = torch.zeros(steps, envs, device=device)
        self.t = 0

    def insert(self, obs, reward):
        self.obs[self.t + 1].copy_(obs)
        self.rewards[self.t] = reward
        self.t += 1

    def restart(self):
        self.obs[0].copy_(self.obs[-1])
        self.t = 0

    def returns(self, last, gamma=0.9):
        out = torch.zeros_like(self.rewards)
        for t in reversed(range(len(out))):
            last = self.rewards[t] + gamma * last
            out[t] = last
        return out


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
value = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
opt = torch.optim.Adam(value.parameters(), lr=1e-3)
store = RolloutStorage(5, 4, 3, device)
for update in range(3):
    for _ in range(5):
        store.insert(torch.randn(4, 3), torch.rand(4))
    with torch.no_grad():
        goal = store.returns(value(store.obs[-1]).squeeze(-1))
    loss = (value(store.obs[:-1]).squeeze(-1) - goal).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    store.restart()
