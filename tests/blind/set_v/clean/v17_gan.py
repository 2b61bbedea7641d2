import torch
from torch import nn
import torch.nn.functional as F


def set_grad(net, flag):
    for p in net.parameters():
        p.requires_grad_(flag)


class Gan:
    def __init__(self, z=6, d=10):
        self.z = z
        self.G = nn.Sequential(nn.Linear(z, 24), nn.ReLU(), nn.Linear(24, d))
        self.D = nn.Sequential(nn.Linear(d, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
        self.ema = {k: v.clone() for k, v in self.G.state_dict().items()}
        self.og = torch.optim.Adam(self.G.parameters(), lr=2e-4, betas=(0.5, 0.9))
        self.od = torch.optim.Adam(self.D.parameters(), lr=2e-4, betas=(0.5, 0.9))

    def sample(self, n):
        return self.G(torch.randn(n, self.z))

    def penalty(self, real, fake):
        eps = torch.rand(real.size(0), 1)
        mid = (eps * real + (1 - eps) * fake).requires_grad_(True)
        (g,) = torch.autograd.grad(self.D(mid).sum(), mid, create_graph=True)
        return ((g.norm(dim=1) - 1) ** 2).mean()

    def d_step(self, real):
        set_grad(self.D, True)
        with torch.no_grad():
            fake = self.sample(real.size(0))
        loss = self.D(fake).mean() - self.D(real).mean() + 10 * self.penalty(real, fake)
        self.od.zero_grad()
        loss.backward()
        self.od.step()
        return loss.item()

    def g_step(self, n):
        set_grad(self.D, False)
        fake = self.sample(n)
        loss = -self.D(fake).mean()
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        with torch.no_grad():
            for k, v in self.G.state_dict().items():
                self.ema[k].lerp_(v, 0.01)
        return loss.item()


gan = Gan()
for it in range(4):
    ld = [gan.d_step(torch.randn(16, 10) * 2 + 1) for _ in range(2)]
    lg = gan.g_step(16)
print(ld, lg)
