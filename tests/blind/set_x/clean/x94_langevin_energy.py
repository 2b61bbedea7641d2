"""Energy-based model trained by contrastive divergence with a sample buffer."""
import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self, dim=2, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Langevin:
    def __init__(self, steps=8, size=0.1, noise=0.05):
        self.steps, self.size, self.noise = steps, size, noise

    def run(self, energy, x):
        flags = [p.requires_grad for p in energy.parameters()]
        energy.requires_grad_(False)
        x = x.clone().requires_grad_(True)
        for _ in range(self.steps):
            (grad,) = torch.autograd.grad(energy(x).sum(), x)
            x = x.detach() - self.size * grad + self.noise * torch.randn_like(x)
            x.requires_grad_(True)
        for p, flag in zip(energy.parameters(), flags):
            p.requires_grad_(flag)
        return x.detach()


class SampleBuffer:
    def __init__(self, size, dim, device):
        self.rows = torch.rand(size, dim, device=device) * 2 - 1

    def draw(self, n, fresh=0.1):
        idx = torch.randint(0, self.rows.size(0), (n,), device=self.rows.device)
        x = self.rows[idx]
        new = torch.rand(n, 1, device=x.device) < fresh
        return idx, torch.where(new, torch.rand_like(x) * 2 - 1, x)

    def put(self, idx, x):
        self.rows[idx] = x


def train(device, steps=4):
    energy = Energy().to(device)
    sampler, buffer = Langevin(), SampleBuffer(64, 2, device)
    opt = torch.optim.Adam(energy.parameters(), lr=1e-3)
    for _ in range(steps):
        real = torch.randn(16, 2, device=device) * 0.1 + 0.5
        idx, start = buffer.draw(16)
        fake = sampler.run(energy, start)
        buffer.put(idx, fake)
        pos, neg = energy(real), energy(fake)
        loss = pos.mean() - neg.mean() + 0.1 * (pos.pow(2) + neg.pow(2)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return energy


if __name__ == "__main__":
    train(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
