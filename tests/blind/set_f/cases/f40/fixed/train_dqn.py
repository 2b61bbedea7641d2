import torch

from dqn import DQN
from replay import Replay


def fill(memory, n=40):
    for _ in range(n):
        s = torch.randn(4)
        memory.push(s, int(torch.randint(2, ())), float(s.sum() > 0), s + 0.1 * torch.randn(4), bool(torch.rand(()) < 0.1))


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, memory = DQN(4, 2, device), Replay()
    fill(memory)
    for i in range(5):
        print(i, agent.learn(memory.sample(16, device)))
