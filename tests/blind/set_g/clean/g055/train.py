import random
from collections import deque

import numpy as np
import torch

from agent import DoubleDQN


class Replay:
    """Transitions live in host memory; only the sampled ones travel."""

    def __init__(self, capacity=1000):
        self.data = deque(maxlen=capacity)

    def add(self, *transition):
        self.data.append(transition)

    def sample(self, n, device):
        obs, act, rew, nxt, done = zip(*random.sample(self.data, n))
        as_float = lambda rows: torch.as_tensor(np.asarray(rows, dtype=np.float32), device=device)
        return as_float(obs), torch.as_tensor(act, device=device), as_float(rew), as_float(nxt), as_float(done)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, replay = DoubleDQN(4, 2, device), Replay()
    obs = np.zeros(4, dtype=np.float32)
    for step in range(24):
        with torch.no_grad():
            q = agent.online(torch.from_numpy(obs).to(device)[None])
        action = random.randrange(2) if step % 3 == 0 else int(q.argmax())
        nxt = (obs * 0.9 + np.random.randn(4) * 0.1 + action * 0.2).astype(np.float32)
        replay.add(obs, action, float(nxt.sum() > 0), nxt, float(step % 8 == 7))
        obs = nxt
        if len(replay.data) >= 16:
            loss = agent.update(*replay.sample(8, device))
    print("last loss", loss)


if __name__ == "__main__":
    main()
