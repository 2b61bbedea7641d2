import torch
import torch.nn as nn


class EnergyNet(nn.Module):
    def __init__(self, dim=2, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def langevin(energy, x, steps=4, step_size=0.1, noise=0.02):
    """Samples by descending the energy; the chain itself is not differentiated."""
    x = x.detach().clone()
    for _ in range(steps):
        x.requires_grad_(True)
        grad, = torch.autograd.grad(energy(x).sum(), x)
        x = (x - step_size * grad + noise * torch.randn_like(x)).detach()
    return x


class Buffer:
    def __init__(self, size, dim, device):
        self.samples = torch.rand(size, dim, device=device) * 4 - 2

    def draw(self, n):
        self.idx = torch.randint(0, len(self.samples), (n,), device=self.samples.device)
        return self.samples[self.idx]

    def put(self, x):
        self.samples[self.idx] = x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    energy = EnergyNet().to(device)
    opt = torch.optim.Adam(energy.parameters(), lr=1e-3)
    buffer = Buffer(64, 2, device)
    for it in range(3):
        angle = torch.rand(16, device=device) * 6.28
        real = torch.stack([angle.cos(), angle.sin()], dim=1)
        fake = langevin(energy, buffer.draw(16))
        buffer.put(fake)
        e_real, e_fake = energy(real), energy(fake)
        loss = (e_real - e_fake).mean() + 0.1 * (e_real.pow(2) + e_fake.pow(2)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item())


if __name__ == "__main__":
    main()
