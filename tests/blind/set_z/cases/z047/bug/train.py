import argparse

import torch

from dqn import DQN
from memory import RingBuffer

p = argparse.ArgumentParser()
p.add_argument("--updates", type=int, default=4)
p.add_argument("--batch-size", type=int, default=8)
args = p.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = DQN(4, 3, device=device)
memory = RingBuffer(50, 4, device)
obs = torch.randn(4)
for t in range(30):
    nxt = 0.9 * obs + 0.2 * torch.randn(4)
    memory.add(obs=obs, next_obs=nxt, action=t % 3, reward=float(nxt[0]), done=float(t % 10 == 9))
    obs = nxt
for i in range(args.updates):
    batch = memory.sample(args.batch_size)
    print(i, agent.update(batch))
