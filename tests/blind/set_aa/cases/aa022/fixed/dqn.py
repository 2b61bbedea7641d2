import functools

import torch

from dqn_lib.agent import Agent
from dqn_lib.buffer import ReplayBuffer
from dqn_lib.qnets import DuelingQ


class Balance:
    def reset(self):
        self.s = 0.1 * torch.randn(4)
        return self.s

    def step(self, a):
        self.s = self.s * 1.02 + (0.05 if a else -0.05)
        done = bool(self.s.abs().max() > 1)
        return self.s, 0.0 if done else 1.0, done


agent = Agent(functools.partial(DuelingQ, 4, 2))
buffer, env = ReplayBuffer(200), Balance()
obs, losses = env.reset(), []
for t in range(80):
    action = agent.q.act(obs, eps=max(0.05, 1 - t / 60))
    nxt, reward, done = env.step(action)
    buffer.add(obs, action, reward, nxt, done)
    obs = env.reset() if done else nxt
    if len(buffer) >= 32:
        losses.append(agent.update(buffer.sample(16, agent.device)))
print(f"{sum(losses) / len(losses):.4f}")
