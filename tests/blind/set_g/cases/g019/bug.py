import random
from collections import deque

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Corridor:
    """Walk right to the end of a corridor of n cells."""

    def __init__(self, n=6):
        self.n = n

    def reset(self):
        self.pos = 0
        return self.observe()

    def observe(self):
        return [self.pos / self.n, 1.0]

    def step(self, action):
        self.pos = max(0, self.pos + (1 if action else -1))
        done = self.pos >= self.n
        return self.observe(), (1.0 if done else -0.05), done


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, obs):
        return self.fc(obs)


class Agent:
    def __init__(self, epsilon=0.3):
        self.q = QNet().to(device)
        self.epsilon = epsilon
        self.memory = deque(maxlen=500)

    @torch.no_grad()
    def act(self, obs):
        if random.random() < self.epsilon:
            return random.randrange(2)
        state = torch.Tensor([obs], device=device)
        return self.q(state).argmax(1).item()


def main():
    random.seed(0)
    env, agent = Corridor(), Agent()
    for episode in range(3):
        obs, total = env.reset(), 0.0
        for _ in range(20):
            action = agent.act(obs)
            nxt, reward, done = env.step(action)
            agent.memory.append((obs, action, reward, nxt, done))
            obs, total = nxt, total + reward
            if done:
                break
        print(episode, round(total, 2), len(agent.memory))


if __name__ == "__main__":
    main()
