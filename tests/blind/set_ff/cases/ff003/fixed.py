import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "state action reward next_state done")


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *fields):
        self.memory.append(Transition(*fields))

    def sample(self, batch_size):
        rows = random.sample(self.memory, batch_size)
        columns = Transition(*zip(*rows))
        return Transition(
            torch.stack(columns.state),
            torch.tensor(columns.action),
            torch.tensor(columns.reward),
            torch.stack(columns.next_state),
            torch.tensor(columns.done, dtype=torch.float32),
        )

    def __len__(self):
        return len(self.memory)


class QNet(nn.Module):
    def __init__(self, obs, acts, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU(), nn.Linear(hidden, acts))

    def forward(self, obs):
        return self.body(obs)


class Agent:
    def __init__(self, obs=4, acts=2, gamma=0.99):
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.policy = QNet(obs, acts).to(self.device)
        self.target = QNet(obs, acts).to(self.device)
        self.target.load_state_dict(self.policy.state_dict())
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-3)
        self.memory = ReplayMemory(500)
        self.gamma = gamma
        self.acts = acts

    @torch.no_grad()
    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(self.acts)
        return self.policy(state.to(self.device).unsqueeze(0)).argmax(1).item()

    def learn(self, batch_size=16):
        if len(self.memory) < batch_size:
            return None
        batch = self.memory.sample(batch_size)
        batch = Transition(*(field.to(self.device) for field in batch))
        q = self.policy(batch.state).gather(1, batch.action.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            nxt = self.target(batch.next_state).max(1).values
            goal = batch.reward + self.gamma * nxt * (1 - batch.done)
        loss = F.smooth_l1_loss(q, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def env_step(state, action):
    nxt = state + 0.1 * torch.randn_like(state) + (0.05 if action else -0.05)
    return nxt, 1.0, bool(nxt.abs().max() > 3)


def main(episodes=3, horizon=20):
    agent = Agent()
    for ep in range(episodes):
        state = torch.zeros(4)
        for _ in range(horizon):
            action = agent.act(state, eps=0.2)
            nxt, reward, done = env_step(state, action)
            agent.memory.push(state, action, reward, nxt, done)
            loss = agent.learn()
            state = nxt
            if done:
                break
        agent.target.load_state_dict(agent.policy.state_dict())
        print(ep, loss)


if __name__ == "__main__":
    main()
