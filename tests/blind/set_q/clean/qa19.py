import random

import torch
import torch.nn as nn


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.f(x).squeeze(-1)


class ReplayBuffer:
    """Samples live on the host between uses."""

    def __init__(self, size, dim):
        self.items = torch.rand(size, dim) * 4 - 2

    def draw(self, n, fresh=0.05):
        idx = torch.tensor(random.sample(range(len(self.items)), n))
        start = self.items[idx]
        new = torch.rand(n) < fresh
        start[new] = torch.rand(int(new.sum()), start.shape[1]) * 4 - 2
        return start, idx

    def put(self, x, idx):
        self.items[idx] = x.cpu()


def langevin(energy, x, steps=12, step_size=0.1, noise=0.02):
    flags = [p.requires_grad for p in energy.parameters()]
    energy.requires_grad_(False)
    x = x.clone().requires_grad_(True)
    for _ in range(steps):
        grad, = torch.autograd.grad(energy(x).sum(), x)
        with torch.no_grad():
            x.sub_(step_size * grad.clamp(-1, 1)).add_(noise * torch.randn_like(x))
    for p, f in zip(energy.parameters(), flags):
        p.requires_grad_(f)
    return x.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    energy = Energy().to(device)
    opt = torch.optim.Adam(energy.parameters(), lr=1e-3)
    buffer = ReplayBuffer(200, 2)
    data = torch.randn(512, 2) * 0.3
    for step in range(12):
        pos = data[torch.randint(len(data), (32,))].to(device)
        start, idx = buffer.draw(32)
        neg = langevin(energy, start.to(device))
        buffer.put(neg, idx)
        e_pos, e_neg = energy(pos), energy(neg)
        loss = e_pos.mean() - e_neg.mean() + 0.1 * (e_pos.square() + e_neg.square()).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(e_pos.mean().item(), e_neg.mean().item())


if __name__ == "__main__":
    main()
