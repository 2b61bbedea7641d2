from collections.abc import Mapping, Sequence

import torch
from torch import nn


class Replay:
    """A ring buffer that lives on one device; `to` moves it in place."""

    def __init__(self, size, obs_dim):
        self.size, self.pos, self.full = size, 0, False
        self.store = {
            "obs": torch.zeros(size, obs_dim),
            "action": torch.zeros(size, dtype=torch.long),
            "reward": torch.zeros(size),
            "next_obs": torch.zeros(size, obs_dim),
            "done": torch.zeros(size),
        }

    def to(self, device):
        for k in self.store:
            self.store[k] = self.store[k].to(device)

    def __len__(self):
        return self.size if self.full else self.pos

    def add(self, **items):
        for k, v in items.items():
            self.store[k][self.pos] = v
        self.pos = (self.pos + 1) % self.size
        self.full |= self.pos == 0

    def sample(self, n):
        idx = torch.randint(len(self), (n,))
        return {k: v[idx] for k, v in self.store.items()}


def recursive_to(obj, device):
    if isinstance(obj, torch.Tensor):
        return obj.to(device, non_blocking=True)
    if isinstance(obj, Mapping):
        return {k: recursive_to(v, device) for k, v in obj.items()}
    if isinstance(obj, Sequence) and not isinstance(obj, str):
        return type(obj)(recursive_to(v, device) for v in obj)
    return obj


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
q, target = (nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2)) for _ in range(2))
for net in (q, target):
    net.to(device)
target.load_state_dict(q.state_dict())
buffer = Replay(64, 4)
buffer.to(device)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)

for t in range(70):
    obs, nxt = torch.randn(4), torch.randn(4)
    buffer.add(obs=obs, action=t % 2, reward=float(obs[0]), next_obs=nxt, done=float(t % 10 == 9))
    if len(buffer) < 32 or t % 10:
        continue
    b = buffer.sample(16)
    with torch.no_grad():
        y = b["reward"] + 0.99 * (1 - b["done"]) * target(b["next_obs"]).amax(1)
    loss = nn.functional.smooth_l1_loss(q(b["obs"]).gather(1, b["action"][:, None]).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
probe = recursive_to({"x": [torch.randn(2, 4)], "id": "probe"}, device)
with torch.no_grad():
    print(probe["id"], q(probe["x"][0]).argmax(1).tolist(), loss.item())
