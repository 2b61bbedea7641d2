import numpy as np
import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Ensemble(nn.Module):
    def __init__(self, members=3, s=3, a=1, h=16):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(members, s + a, h) * 0.3)
        self.b1 = nn.Parameter(torch.zeros(members, 1, h))
        self.w2 = nn.Parameter(torch.randn(members, h, s) * 0.3)

    def forward(self, x):
        return torch.tanh(torch.baddbmm(self.b1, x.expand(len(self.w1), -1, -1), self.w1)) @ self.w2


class Buffer:
    def __init__(self):
        self.rows = []

    def add(self, s, a, s2):
        self.rows.append(np.concatenate([s, a, s2]).astype(np.float32))

    def tensors(self, device):
        data = torch.from_numpy(np.stack(self.rows)).to(device)
        return data.split([3, 1, 3], dim=1)


def fit(model, buf, opt, steps=4):
    s, a, s2 = buf.tensors(DEVICE)
    for _ in range(steps):
        pred = model(torch.cat([s, a], 1))
        loss = (pred - (s2 - s)).square().mean(dim=(1, 2)).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def plan(model, s, horizon=4, samples=32, temperature=1.0):
    state = torch.as_tensor(s, dtype=torch.float32, device=DEVICE).expand(samples, -1)
    actions = torch.randn(horizon, samples, 1, device=DEVICE)
    value = torch.zeros(samples, device=DEVICE)
    for a in actions:
        state = state + model(torch.cat([state, a], 1)).mean(0)
        value -= state.square().sum(1)
    w = torch.softmax(value / temperature, 0)
    return (w[None, :, None] * actions).sum(1)[0].cpu().numpy()


model = Ensemble().to(DEVICE)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
buf, s = Buffer(), np.zeros(3)
for t in range(6):
    a = plan(model, s)
    s2 = 0.9 * s + 0.1 * a.item() + 0.01 * np.random.randn(3)
    buf.add(s, a, s2)
    s = s2
    fit(model, buf, opt)
print(np.abs(s).sum())
