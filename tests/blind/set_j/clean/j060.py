import torch
import torch.nn as nn
import torch.nn.functional as F


class DeviceReplay:
    """Storage lives on the training device; positions are drawn on the host."""

    def __init__(self, capacity, obs_dim, device):
        self.capacity, self.pos, self.full = capacity, 0, False
        self.obs = torch.zeros(capacity, obs_dim, device=device)
        self.act = torch.zeros(capacity, dtype=torch.long, device=device)
        self.rew = torch.zeros(capacity, device=device)

    def add(self, obs, act, rew):
        self.obs[self.pos] = obs
        self.act[self.pos] = act
        self.rew[self.pos] = rew
        self.pos = (self.pos + 1) % self.capacity
        self.full = self.full or self.pos == 0

    def __len__(self):
        return self.capacity if self.full else self.pos

    def sample(self, n, generator=None):
        idx = torch.randint(len(self), (n,), generator=generator)
        return self.obs[idx], self.act[idx], self.rew[idx]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    buf = DeviceReplay(32, 3, device)
    g = torch.Generator().manual_seed(0)
    for i in range(40):
        buf.add(torch.randn(3, generator=g), i % 2, float(i % 5))
    q = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    opt = torch.optim.Adam(q.parameters())
    for _ in range(3):
        s, a, r = buf.sample(16, g)
        loss = F.mse_loss(q(s).gather(1, a[:, None])[:, 0], r)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


main()
