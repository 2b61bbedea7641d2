"""Non-saturating GAN; the discriminator sums its gradients over two real batches."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Generator(nn.Module):
    def __init__(self, z=6, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(z, width), nn.ReLU(), nn.Linear(width, 2))
        self.z = z

    def sample(self, n):
        device = self.net[0].weight.device
        return self.net(torch.randn(n, self.z, device=device))


class Discriminator(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.LeakyReLU(0.2), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class GAN:
    accumulate = 2

    def __init__(self, device):
        self.device = device
        self.g, self.d = Generator().to(device), Discriminator().to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=1e-3, betas=(0.5, 0.9))
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=1e-3, betas=(0.5, 0.9))

    def generator_step(self, n):
        self.opt_g.zero_grad()
        g_loss = F.softplus(-self.d(self.g.sample(n))).mean()
        g_loss.backward()
        # what the generator's loss left in the discriminator is not wanted there
        self.opt_d.zero_grad()
        self.opt_g.step()
        return g_loss.item()

    def discriminator_step(self, batches):
        total = 0.0
        for real in batches:
            with torch.no_grad():
                fake = self.g.sample(len(real))
            d_loss = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake)).mean()
            (d_loss / self.accumulate).backward()
            total += d_loss.item()
        nn.utils.clip_grad_norm_(self.d.parameters(), 5.0)
        self.opt_d.step()
        self.opt_d.zero_grad()
        return total / self.accumulate

    def fit(self, steps):
        for step in range(steps):
            real = [torch.randn(32, 2, device=self.device) * 0.2 + 1 for _ in range(self.accumulate)]
            d = self.discriminator_step(real)
            g = self.generator_step(32)
            if step % 5 == 0:
                print(step, f"d {d:.3f} g {g:.3f}")


if __name__ == "__main__":
    GAN(torch.device("cuda" if torch.cuda.is_available() else "cpu")).fit(11)
