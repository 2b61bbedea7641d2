import argparse

import torch

from sac import SAC


class Buffer:
    def __init__(self, obs, act, size=64):
        self.data = {"obs": torch.randn(size, obs), "next_obs": torch.randn(size, obs),
                     "action": torch.rand(size, act) * 2 - 1, "reward": torch.randn(size),
                     "done": torch.randint(0, 2, (size,)).float()}

    def sample(self, n, device):
        idx = torch.randint(0, len(self.data["reward"]), (n,))
        return {k: v[idx].to(device) for k, v in self.data.items()}


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--updates", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=16)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, buffer = SAC(5, 2, device), Buffer(5, 2)
    for i in range(args.updates):
        print(i, agent.update(buffer.sample(args.batch_size, device)))
