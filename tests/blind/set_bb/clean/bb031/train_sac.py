from collections import deque
import random
import numpy as np
import torch
from sac import SAC

agent = SAC(3, 1, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
buf = deque(maxlen=300)
s = np.zeros(3, dtype=np.float32)
for t in range(40):
    a = agent.act(s)
    s2 = (0.9 * s + 0.1 * np.random.randn(3)).astype(np.float32)
    buf.append({"s": s, "a": a.astype(np.float32), "r": np.float32(-np.abs(s2).sum()), "s2": s2, "d": np.float32(t % 20 == 19)})
    s = s2
    if len(buf) >= 32:
        rows = random.sample(buf, 16)
        agent.update({k: torch.from_numpy(np.stack([r[k] for r in rows])) for k in rows[0]})
print("alpha", agent.alpha.item())
