import numpy as np
import torch
from torch import nn


class PrioritizedBuffer:
    def __init__(self, capacity, alpha=0.6, seed=0):
        self.capacity, self.alpha = capacity, alpha
        self.data, self.prio = [], np.zeros(capacity, dtype=np.float32)
        self.rng, self.pos = np.random.default_rng(seed), 0

    def add(self, transition):
        top = self.prio.max() if self.data else 1.0
        if len(self.data) < self.capacity:
            self.data.append(transition)
        else:
            self.data[self.pos] = transition
        self.prio[self.pos] = top
        self.pos = (self.pos + 1) % self.capacity

    def sample(self, n, beta=0.4):
        p = self.prio[: len(self.data)] ** self.alpha
        p /= p.sum()
        idx = self.rng.choice(len(self.data), n, p=p)
        w = (len(self.data) * p[idx]) ** -beta
        batch = [torch.tensor(np.array(col), dtype=torch.float32) for col in zip(*(self.data[i] for i in idx))]
        return idx, batch, torch.from_numpy(w / w.max())

    def update(self, idx, errors):
        self.prio[idx] = np.abs(errors) + 1e-5


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
q = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2)).to(device)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
buf = PrioritizedBuffer(64)
rng = np.random.default_rng(3)
for _ in range(80):
    s = rng.normal(size=3)
    a = int(rng.integers(2))
    buf.add((s, a, float(s[a]), rng.normal(size=3)))

for step in range(5):
    idx, (s, a, r, s2), w = buf.sample(16)
    s, a, r, s2, w = (t.to(device) for t in (s, a.long(), r, s2, w))
    with torch.no_grad():
        target = r + 0.9 * q(s2).amax(1)
    value = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
    td = value - target
    elementwise = nn.functional.smooth_l1_loss(value, target, reduction="none")
    opt.zero_grad()
    elementwise.backward(gradient=w / len(w))
    opt.step()
    buf.update(idx, td.detach().cpu().numpy())
print(elementwise.detach().mean().item(), buf.prio[:3])
