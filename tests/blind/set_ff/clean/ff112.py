import torch
from torch import nn, autograd
import torch.nn.functional as F


class Generator(nn.Module):
    def __init__(self, z=8, out=2):
        super().__init__()
        self.z = z
        self.net = nn.Sequential(nn.Linear(z, 32), nn.LeakyReLU(0.2), nn.Linear(32, out))

    def forward(self, noise):
        return self.net(noise)

    def sample(self, n):
        device = next(self.parameters()).device
        return self(torch.randn(n, self.z, device=device))


class Critic(nn.Module):
    def __init__(self, inp=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inp, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def gradient_penalty(critic, real, fake):
    mix = torch.rand(real.size(0), 1, device=real.device)
    points = (mix * real + (1 - mix) * fake).requires_grad_(True)
    scores = critic(points)
    (grad,) = autograd.grad(scores, points, grad_outputs=torch.ones_like(scores), create_graph=True)
    return (grad.norm(2, dim=1) - 1).square().mean()


class WGAN:
    def __init__(self, device):
        self.device = device
        self.g = Generator().to(device)
        self.c = Critic().to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=1e-3, betas=(0.0, 0.9))
        self.opt_c = torch.optim.Adam(self.c.parameters(), lr=1e-3, betas=(0.0, 0.9))

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.g.sample(real.size(0))
        loss = self.c(fake).mean() - self.c(real).mean() + 10 * gradient_penalty(self.c, real, fake)
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return loss.item()

    def generator_step(self, n):
        for p in self.c.parameters():
            p.requires_grad_(False)
        loss = -self.c(self.g.sample(n)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        for p in self.c.parameters():
            p.requires_grad_(True)
        return loss.item()

    def fit(self, steps, critic_steps=2, n=32):
        for s in range(steps):
            for _ in range(critic_steps):
                angle = 6.28 * torch.rand(n, device=self.device)
                real = torch.stack([angle.cos(), angle.sin()], 1)
                c = self.critic_step(real)
            print(s, round(c, 3), round(self.generator_step(n), 3))


if __name__ == "__main__":
    torch.manual_seed(0)
    WGAN(torch.device("cuda" if torch.cuda.is_available() else "cpu")).fit(3)
