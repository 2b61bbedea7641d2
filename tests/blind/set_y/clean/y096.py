import copy

import torch
from torch import nn


class Probe(nn.Module):
    """Keeps the last input statistics, as numbers without a graph."""

    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.stats = {}

    def forward(self, x):
        y = torch.relu(self.fc(x))
        self.stats = {"mean": y.mean().detach().clone(), "dead": (y == 0).float().mean()}
        return x + y


def population(base, n, sigma):
    members = []
    for _ in range(n):
        child = copy.deepcopy(base)
        with torch.no_grad():
            for p in child.parameters():
                p.add_(sigma * torch.randn_like(p))
        members.append(child)
    return members


def crossover(a, b):
    child = copy.deepcopy(a)
    sb = b.state_dict()
    child.load_state_dict({k: 0.5 * (v + sb[k]) for k, v in a.state_dict().items()})
    return child


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(32, 6, device=device)
y = x.flip(1)


def train(net, steps=3):
    opt = torch.optim.SGD(net.parameters(), lr=0.02)
    for _ in range(steps):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


best = nn.Sequential(Probe(6), Probe(6), nn.Linear(6, 6)).to(device)
for generation in range(2):
    scored = sorted(((train(net), i, net) for i, net in enumerate(population(best, 3, 0.05))), key=lambda s: s[:2])
    best = crossover(scored[0][2], scored[1][2])
    print(generation, scored[0][0], scored[0][2][0].stats["dead"].item())
lr_history = torch.tensor([s[0] for s in scored])
snapshot = torch.cat([p.detach().flatten() for p in best.parameters()]).clone()
print(lr_history.mean().item(), snapshot.norm().item())
