import numpy as np
import torch

from buffer import ReplayBuffer
from td3 import TD3


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, replay = TD3(3, 1, device), ReplayBuffer(50, 3, 1)
    for _ in range(20):
        replay.add(np.random.randn(3), np.random.uniform(-1, 1, 1), np.random.rand(), np.random.randn(3))
    for _ in range(3):
        print(agent.train(replay))


if __name__ == "__main__":
    main()
