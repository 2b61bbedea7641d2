import random

import torch
import torch.nn as nn


class Energy(nn.Module):
    def __init__(self, d=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class ReplaySampler:
    def __init__(self, model, device, size=64, d=2):
        self.model, self.device, self.d = model, device, d
        self.pool = [torch.randn(d) for _ in range(size)]

    def langevin(self, x, steps=6, step_size=0.1, noise=0.02):
        flags = [p.requires_grad for p in self.model.parameters()]
        self.model.requires_grad_(False)
        for _ in range(steps):
            x = x.detach().requires_grad_(True)
            self.model(x).sum().backward()
            x = x - step_size * x.grad + noise * torch.randn_like(x)
        for p, f in zip(self.model.parameters(), flags):
            p.requires_grad_(f)
        return x.detach()

    def draw(self, n, fresh=0.2):
        index = random.sample(range(len(self.pool)), n)
        start = [torch.randn(self.d) if random.random() < fresh else self.pool[i] for i in index]
        x = self.langevin(torch.stack(start).to(self.device))
        for i, row in zip(index, x.cpu()):
            self.pool[i] = row
        return x


def main():
    random.seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Energy().to(device)
    sampler = ReplaySampler(model, device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(5):
        real = torch.randn(16, 2, device=device) * 0.3 + 1
        fake = sampler.draw(16)
        e_real, e_fake = model(real), model(fake)
        loss = e_real.mean() - e_fake.mean() + 0.1 * (e_real.pow(2) + e_fake.pow(2)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


main()
