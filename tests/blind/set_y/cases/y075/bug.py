import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "state action next_state reward done")


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        rows = Transition(*zip(*random.sample(self.memory, n)))
        return Transition(*(torch.stack(col) for col in rows))

    def __len__(self):
        return len(self.memory)


class DQNAgent:
    def __init__(self, obs=4, actions=2, gamma=0.9, device="cpu"):
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, actions)).to(device)
        self.gamma, self.device, self.actions = gamma, device, actions
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.probe = {}

    def act(self, state, eps=0.2):
        if random.random() < eps:
            return random.randrange(self.actions)
        with torch.no_grad():
            return self.net(state.to(self.device)).argmax().item()

    def learn(self, batch):
        batch = Transition(*(t.to(self.device) for t in batch))
        q = self.net(batch.state).gather(1, batch.action.unsqueeze(1)).squeeze(1)
        next_q = self.net(batch.next_state).max(1).values
        expected = batch.reward + self.gamma * (1 - batch.done) * next_q
        loss = F.smooth_l1_loss(q, expected)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.probe["target_in_graph"] = expected.grad_fn is not None
        return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent, memory = DQNAgent(device=device), ReplayMemory(200)
state = torch.randn(4)
for t in range(60):
    action = agent.act(state)
    nxt = 0.8 * state + 0.2 * torch.randn(4)
    reward = state[action].clone()
    memory.push(state, torch.tensor(action), nxt, reward, torch.tensor(float(t % 15 == 14)))
    state = nxt
    if len(memory) >= 32 and t % 4 == 0:
        loss = agent.learn(memory.sample(16))
print(loss)
