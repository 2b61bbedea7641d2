import random

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Energy(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.f(x).squeeze(1)


class Langevin:
    def __init__(self, energy, d, size=64):
        self.energy, self.d = energy, d
        self.pool = [torch.randn(1, d) for _ in range(size)]

    def __call__(self, n, steps=5, step_size=0.1):
        fresh = max(1, n // 20)
        x = torch.cat(random.choices(self.pool, k=n - fresh) + [torch.randn(fresh, self.d)]).to(device)
        self.energy.requires_grad_(False)
        x.requires_grad_(True)
        noise = torch.empty_like(x, requires_grad=False)
        for _ in range(steps):
            noise.normal_(0, 0.01)
            with torch.no_grad():
                x.add_(noise)
            self.energy(x).sum().backward()
            with torch.no_grad():
                x.sub_(step_size * x.grad.clamp_(-0.1, 0.1)).clamp_(-3, 3)
            x.grad = None
        self.energy.requires_grad_(True)
        out = x.detach()
        self.pool = (list(out.cpu().split(1)) + self.pool)[: len(self.pool)]
        return out


model = Energy(3).to(device)
sampler = Langevin(model, 3)
opt = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.0, 0.999))
for step in range(3):
    real = torch.randn(16, 3, device=device) * 0.2 + 1
    fake = sampler(16)
    e_real, e_fake = model(real), model(fake)
    loss = e_real.mean() - e_fake.mean() + 0.1 * (e_real**2 + e_fake**2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
