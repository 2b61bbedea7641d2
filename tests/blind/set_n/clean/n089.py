import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self, d=2, h=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def langevin(energy, x, steps=8, step_size=0.1):
    for p in energy.parameters():
        p.requires_grad_(False)
    x = x.detach().clone()
    for _ in range(steps):
        x.requires_grad_(True)
        grad, = torch.autograd.grad(energy(x).sum(), x)
        x = x.detach() - step_size * grad + (2 * step_size) ** 0.5 * 0.1 * torch.randn_like(x)
    for p in energy.parameters():
        p.requires_grad_(True)
    return x


class Buffer:
    def __init__(self, size, d, device):
        self.samples = torch.rand(size, d, device=device) * 4 - 2

    def draw(self, n, fresh=0.05):
        self.idx = torch.randint(0, len(self.samples), (n,), device=self.samples.device)
        x = self.samples[self.idx]
        new = torch.rand(n, device=x.device) < fresh
        x[new] = torch.rand(int(new.sum()), x.size(1), device=x.device) * 4 - 2
        return x

    def keep(self, x):
        self.samples[self.idx] = x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
energy, buffer = Energy().to(device), Buffer(64, 2, device)
opt = torch.optim.Adam(energy.parameters(), lr=1e-3)
for it in range(3):
    real = torch.randn(16, 2, device=device) * 0.3 + 1
    fake = langevin(energy, buffer.draw(16))
    buffer.keep(fake)
    ep, en = energy(real), energy(fake)
    loss = ep.mean() - en.mean() + 0.1 * (ep.square() + en.square()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
