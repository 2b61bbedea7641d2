import torch

from agent.learner import Learner
from agent.networks import PolicyNet
from agent.worker import Worker


class Corridor:
    def __init__(self, length=6):
        self.length = length

    def _obs(self):
        return torch.nn.functional.one_hot(torch.tensor(self.pos), self.length).float()

    def reset(self):
        self.pos = 1
        return self._obs()

    def step(self, a):
        self.pos = min(max(self.pos + (1 if a else -1), 0), self.length - 1)
        done = self.pos in (0, self.length - 1)
        return self._obs(), float(self.pos == self.length - 1), done


policy = PolicyNet(6, 2)
worker, learner = Worker(Corridor(), policy), Learner(policy)
for it in range(4):
    episodes = [worker.episode() for _ in range(3)]
    print(it, learner.learn(episodes), sum(e[-1].reward for e in episodes))
