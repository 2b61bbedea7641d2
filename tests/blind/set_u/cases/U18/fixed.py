import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Step = namedtuple("Step", "state action reward next_state done")


class Memory:
    def __init__(self, capacity, device):
        self.buffer = deque(maxlen=capacity)
        self.device = device

    def push(self, *args):
        self.buffer.append(Step(*args))

    def sample(self, k):
        s, a, r, n, d = zip(*random.sample(self.buffer, k))
        dev = self.device
        state, nxt = torch.tensor(s, device=dev), torch.tensor(n, device=dev)
        action = torch.tensor(a, device=dev).unsqueeze(1)
        reward = torch.tensor(r, device=dev)
        done = torch.tensor(d, device=dev, dtype=torch.float32)
        return state, action, reward, nxt, done

    def __len__(self):
        return len(self.buffer)


class Corridor:
    def reset(self):
        self.pos = 0.0
        return [self.pos, 0.0]

    def step(self, a):
        self.pos += 0.2 if a else -0.1
        done = abs(self.pos) > 1
        return [self.pos, 1.0], float(self.pos > 1), done


class Agent:
    def __init__(self, device, gamma=0.95):
        self.device, self.gamma = device, gamma
        self.q = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 2)).to(device)
        self.target = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 2)).to(device)
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.memory = Memory(500, device)

    @torch.no_grad()
    def act(self, s, eps=0.3):
        if random.random() < eps:
            return random.randrange(2)
        return self.q(torch.tensor([s], device=self.device)).argmax(1).item()

    def learn(self, k=16):
        s, a, r, n, d = self.memory.sample(k)
        with torch.no_grad():
            y = r + self.gamma * (1 - d) * self.target(n).max(1).values
        loss = F.smooth_l1_loss(self.q(s).gather(1, a).squeeze(1), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


if __name__ == "__main__":
    random.seed(0)
    env, agent = Corridor(), Agent(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for episode in range(6):
        s, done = env.reset(), False
        while not done:
            a = agent.act(s)
            n, r, done = env.step(a)
            agent.memory.push(s, a, r, n, done)
            s = n
            if len(agent.memory) > 16:
                agent.learn()
    print("steps seen", len(agent.memory))
