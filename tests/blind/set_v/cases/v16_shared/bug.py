import torch
from torch import nn
import torch.nn.functional as F


class Enc(nn.Module):
    def __init__(self, d=12, z=4):
        super().__init__()
        self.h = nn.Linear(d, 16)
        self.mu, self.lv = nn.Linear(16, z), nn.Linear(16, z)

    def forward(self, x):
        h = torch.tanh(self.h(x))
        mu, lv = self.mu(h), self.lv(h)
        return mu + torch.randn_like(mu) * (lv / 2).exp(), mu, lv


class VaeGan:
    def __init__(self):
        self.enc, self.dec = Enc(), nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 12))
        self.dis = nn.Sequential(nn.Linear(12, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
        self.opt_g = torch.optim.Adam([*self.enc.parameters(), *self.dec.parameters()], lr=1e-3)
        self.opt_d = torch.optim.Adam(self.dis.parameters(), lr=1e-3)

    def d_loss(self, real, fake):
        r, f = self.dis(real), self.dis(fake)
        return F.softplus(-r).mean() + F.softplus(f).mean()

    def g_loss(self, x, fake, mu, lv):
        kl = -0.5 * (1 + lv - mu**2 - lv.exp()).sum(1).mean()
        return F.mse_loss(fake, x) + 0.01 * kl + 0.1 * F.softplus(-self.dis(fake)).mean()

    def step(self, x):
        z, mu, lv = self.enc(x)
        fake = self.dec(z)

        self.opt_d.zero_grad()
        ld = self.d_loss(x, fake)
        ld.backward()
        self.opt_d.step()

        self.opt_g.zero_grad()
        lg = self.g_loss(x, fake, mu, lv)
        lg.backward()
        self.opt_g.step()
        return ld.item(), lg.item()


model = VaeGan()
for i in range(3):
    print(i, *model.step(torch.randn(8, 12)))
