import itertools

import torch
from torch import nn
import torch.nn.functional as F


class Generator(nn.Module):
    def __init__(self, nz, nc, out):
        super().__init__()
        self.nz, self.nc = nz, nc
        self.net = nn.Sequential(nn.Linear(nz + nc, 24), nn.ReLU(), nn.Linear(24, out))

    def draw(self, n):
        device = next(self.parameters()).device
        code = torch.randint(0, self.nc, (n,), device=device)
        z = torch.randn(n, self.nz, device=device)
        return self.net(torch.cat([z, F.one_hot(code, self.nc).float()], dim=1)), code


class Discriminator(nn.Module):
    def __init__(self, dim, nc):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 24), nn.LeakyReLU(0.2))
        self.real, self.code = nn.Linear(24, 1), nn.Linear(24, nc)

    def forward(self, x):
        h = self.body(x)
        return self.real(h).squeeze(1), self.code(h)


class InfoGAN:
    def __init__(self, dim, device, nz=4, nc=3, lr=2e-4):
        self.G, self.D = Generator(nz, nc, dim).to(device), Discriminator(dim, nc).to(device)
        adam = lambda ps: torch.optim.Adam(ps, lr=lr, betas=(0.5, 0.999))
        self.opt_d = adam(itertools.chain(self.D.body.parameters(), self.D.real.parameters()))
        self.opt_q = adam(itertools.chain(self.G.parameters(), self.D.body.parameters(), self.D.code.parameters()))

    @staticmethod
    def bce(logits, value):
        return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, value))

    def step(self, real):
        fake, code = self.G.draw(len(real))

        self.opt_d.zero_grad()
        loss_d = self.bce(self.D(real)[0], 0.9) + self.bce(self.D(fake.detach())[0], 0.0)
        loss_d.backward()
        self.opt_d.step()

        logits, guess = self.D(fake)
        loss_g = self.bce(logits, 1.0)
        loss_q = F.cross_entropy(guess, code)
        adversarial = torch.autograd.grad(loss_g, list(self.G.parameters()), retain_graph=True)
        g_norm = torch.stack([g.norm() for g in adversarial]).norm().item()
        self.opt_q.zero_grad()
        loss_q.backward()
        for p, g in zip(self.G.parameters(), adversarial):
            p.grad.add_(g)
        self.opt_q.step()
        return {"d": loss_d.item(), "g": loss_g.item(), "q": loss_q.item(), "norm": g_norm}
