import torch
import torch.nn as nn


device = "cuda" if torch.cuda.is_available() else "cpu"


class Critic(nn.Module):
    def __init__(self, d=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


class Generator(nn.Module):
    def __init__(self, z=4, d=2):
        super().__init__()
        self.z = z
        self.net = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))

    def forward(self, n):
        dev = next(self.parameters()).device
        return self.net(torch.randn(n, self.z, device=dev))


def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1, device=real.device)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mixed)
    (grad,) = torch.autograd.grad(score, mixed, torch.ones_like(score), create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


def real_batch(n):
    theta = torch.rand(n) * 6.2832
    return torch.stack([theta.cos(), theta.sin()], 1).to(device)


def main(steps=12, n_critic=3, lam=10.0):
    G, D = Generator().to(device), Critic().to(device)
    opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.0, 0.9))
    opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.0, 0.9))
    for it in range(steps):
        for _ in range(n_critic):
            real = real_batch(32)
            with torch.no_grad():
                fake = G(32)
            d_loss = D(fake).mean() - D(real).mean() + lam * gradient_penalty(D, real, fake)
            opt_d.zero_grad()
            d_loss.backward()
            opt_d.step()
        g_loss = -D(G(32)).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
        if it % 6 == 0:
            print(it, d_loss.item(), g_loss.item())


main()
