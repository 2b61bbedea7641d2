import copy
import random
from collections import deque, namedtuple

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "obs action reward next_obs done")


class ReplayBuffer:
    def __init__(self, capacity):
        self.storage = deque(maxlen=capacity)

    def add(self, *fields):
        self.storage.append(Transition(*fields))

    def sample(self, batch_size, device):
        rows = random.sample(self.storage, batch_size)
        cols = Transition(*zip(*rows))
        obs, next_obs = (torch.from_numpy(np.stack(c)).to(device) for c in (cols.obs, cols.next_obs))
        action = torch.tensor(cols.action, device=device)
        reward = torch.tensor(cols.reward, dtype=torch.float32, device=device)
        done = torch.as_tensor(np.array(cols.done), dtype=torch.float32)
        return Transition(obs, action, reward, next_obs, done)


class DQNAgent:
    def __init__(self, obs_dim, n_actions, gamma=0.99, device="cpu"):
        self.device, self.gamma, self.n_actions = torch.device(device), gamma, n_actions
        self.q = nn.Sequential(nn.Linear(obs_dim, 64), nn.ReLU(), nn.Linear(64, n_actions)).to(self.device)
        self.q_target = copy.deepcopy(self.q).requires_grad_(False)
        self.optim = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    @torch.no_grad()
    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        obs = torch.from_numpy(obs).to(self.device)
        return self.q(obs.unsqueeze(0)).argmax(dim=1).item()

    def learn(self, batch):
        chosen = self.q(batch.obs).gather(1, batch.action.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.q_target(batch.next_obs).amax(dim=1)
            target = batch.reward + self.gamma * (1.0 - batch.done) * best
        loss = F.smooth_l1_loss(chosen, target)
        self.optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optim.step()
        return loss.item()

    def sync(self):
        self.q_target.load_state_dict(self.q.state_dict())


if __name__ == "__main__":
    agent = DQNAgent(4, 2, device="cuda" if torch.cuda.is_available() else "cpu")
    memory = ReplayBuffer(1000)
    obs = np.random.randn(4).astype(np.float32)
    for step in range(60):
        action = agent.act(obs, eps=max(0.05, 1 - step / 40))
        nxt = np.random.randn(4).astype(np.float32)
        memory.add(obs, action, float(nxt[0]), nxt, bool(random.random() < 0.1))
        obs = nxt
        if len(memory.storage) >= 32:
            agent.learn(memory.sample(16, agent.device))
        if step % 20 == 0:
            agent.sync()
