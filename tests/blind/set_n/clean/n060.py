import torch
import torch.nn.functional as F
from torch import nn

TEMPERATURE = torch.tensor(0.07)
EPS = torch.tensor(1e-6)


class Contrast(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, k))

    def forward(self, x):
        z = self.f(x)
        return z / (z.norm(dim=1, keepdim=True) + EPS)


def ntxent(a, b):
    z = torch.cat([a, b])
    sim = z @ z.T / TEMPERATURE
    sim = sim.masked_fill(torch.eye(len(z), dtype=torch.bool, device=z.device), float("-inf"))
    goal = torch.arange(len(z), device=z.device).roll(len(a))
    return F.cross_entropy(sim, goal)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Contrast(10, 8).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
total = torch.tensor(0.0)
for _ in range(3):
    x = torch.randn(8, 10, device=device)
    loss = ntxent(net(x + 0.1 * torch.randn_like(x)), net(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    total = total + loss.detach()
print((total / 3).item())
