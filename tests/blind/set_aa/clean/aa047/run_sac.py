import numpy as np
import torch

from sac.agent import SAC
from sac.memory import RingMemory
from sac.nets import Actor, Twin

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = SAC(Actor(3, 1).to(device), Twin(3, 1).to(device))
memory = RingMemory(100, obs=(3,), act=(1,), rew=(), nxt=(3,))
obs = np.zeros(3, np.float32)
for t in range(40):
    act = agent.actor.explore(obs)
    nxt = (0.9 * obs + 0.3 * act + 0.05 * np.random.randn(3)).astype(np.float32)
    memory.put(obs=obs, act=act, rew=-np.abs(nxt - 1).sum(), nxt=nxt)
    obs = nxt
    if t >= 16 and t % 4 == 0:
        print(t, agent.update(memory.draw(16, device)))
