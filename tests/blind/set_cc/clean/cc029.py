import numpy as np
import torch
from torch import nn


class PrioritizedReplay:
    """Everything lives in host memory; only the sampled rows go to the device of the learner."""

    def __init__(self, capacity, obs_dim, alpha=0.6):
        self.obs = torch.zeros(capacity, obs_dim)
        self.next_obs = torch.zeros(capacity, obs_dim)
        self.action = torch.zeros(capacity, dtype=torch.long)
        self.reward = torch.zeros(capacity)
        self.done = torch.zeros(capacity)
        self.priority = torch.zeros(capacity)
        self.capacity, self.alpha = capacity, alpha
        self.cursor = self.size = 0

    def add(self, obs, action, reward, next_obs, done):
        i = self.cursor
        self.obs[i] = torch.from_numpy(obs)
        self.next_obs[i] = torch.from_numpy(next_obs)
        self.action[i], self.reward[i], self.done[i] = action, reward, float(done)
        self.priority[i] = self.priority.max().clamp(min=1.0)
        self.cursor = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, device, beta=0.4):
        p = self.priority[:self.size] ** self.alpha
        idx = torch.multinomial(p, n, replacement=True)
        weight = (self.size * p[idx] / p.sum()) ** -beta
        rows = [t[idx].to(device) for t in (self.obs, self.action, self.reward, self.next_obs, self.done)]
        return idx, (weight / weight.max()).to(device), rows

    def update(self, idx, td_error):
        self.priority[idx] = td_error.detach().abs().cpu() + 1e-5


class Learner:
    def __init__(self, obs_dim, actions, device):
        self.device = device
        self.q = nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, actions)).to(device)
        self.target = nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, actions)).to(device)
        self.target.load_state_dict(self.q.state_dict())
        self.target.requires_grad_(False)
        self.optim = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    def step(self, memory, n):
        idx, weight, (obs, action, reward, next_obs, done) = memory.sample(n, self.device)
        rows = torch.arange(n)
        q = self.q(obs)[rows, action]
        with torch.no_grad():
            best = self.q(next_obs).argmax(dim=1)
            backup = reward + 0.99 * (1 - done) * self.target(next_obs)[rows, best]
        td = backup - q
        loss = (weight * td.pow(2)).mean()
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        memory.update(idx, td)
        return loss.item()


if __name__ == "__main__":
    memory = PrioritizedReplay(200, 4)
    for _ in range(64):
        a, b = np.random.randn(2, 4).astype(np.float32)
        memory.add(a, np.random.randint(2), float(a.sum()), b, np.random.rand() < 0.1)
    learner = Learner(4, 2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    print([round(learner.step(memory, 16), 3) for _ in range(4)])
