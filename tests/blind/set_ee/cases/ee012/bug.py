import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "state action reward next_state done")


class ReplayMemory:
    def __init__(self, capacity, device):
        self.buffer = deque(maxlen=capacity)
        self.device = device

    def push(self, *args):
        self.buffer.append(Transition(*args))

    def sample(self, k):
        batch = Transition(*zip(*random.sample(self.buffer, k)))
        states = torch.stack(batch.state).to(self.device)
        next_states = torch.stack(batch.next_state).to(self.device)
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward, device=self.device)
        dones = torch.tensor(batch.done, dtype=torch.float32, device=self.device)
        return states, actions, rewards, next_states, dones

    def __len__(self):
        return len(self.buffer)


def q_net(obs_dim, n_actions):
    return nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, n_actions))


class DQN:
    def __init__(self, obs_dim, n_actions, device, gamma=0.99):
        self.online = q_net(obs_dim, n_actions).to(device)
        self.target = q_net(obs_dim, n_actions).to(device)
        self.target.load_state_dict(self.online.state_dict())
        self.target.requires_grad_(False)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        self.gamma = gamma
        self.memory = ReplayMemory(500, device)

    def learn(self, batch_size):
        s, a, r, s2, d = self.memory.sample(batch_size)
        q = self.online(s).gather(1, a).squeeze(1)
        with torch.no_grad():
            best = self.target(s2).max(dim=1).values
            y = r + self.gamma * best * (1.0 - d)
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = DQN(4, 2, device)
    for _ in range(100):
        agent.memory.push(torch.randn(4), random.randrange(2), random.random(), torch.randn(4), random.random() < 0.1)
    for step in range(10):
        loss = agent.learn(16)
        if step % 5 == 4:
            agent.sync()
            print(step, loss)


if __name__ == "__main__":
    main()
