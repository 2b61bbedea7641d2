import itertools

import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self, d=5):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 16), nn.PReLU(), nn.Linear(16, d))

    def forward(self, x):
        return self.net(x)


def count(params):
    return sum(p.numel() for p in params)


class CycleModel:
    def __init__(self, d=5, lr=2e-4):
        self.ab, self.ba = Translator(d), Translator(d)
        self.da, self.db = nn.Linear(d, 1), nn.Linear(d, 1)
        gen = [*self.ab.parameters(), *self.ba.parameters()]
        print("generators:", count(gen), "weights")
        self.opt_g = torch.optim.Adam(gen, lr=lr, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(itertools.chain(self.da.parameters(), self.db.parameters()), lr=lr)

    def generator_step(self, a, b):
        fake_b, fake_a = self.ab(a), self.ba(b)
        adv = (self.db(fake_b) - 1).pow(2).mean() + (self.da(fake_a) - 1).pow(2).mean()
        cyc = (self.ba(fake_b) - a).abs().mean() + (self.ab(fake_a) - b).abs().mean()
        loss = adv + 10 * cyc
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return fake_a.detach(), fake_b.detach(), loss.item()

    def critic_step(self, a, b, fake_a, fake_b):
        self.opt_d.zero_grad()
        loss = sum((d(r) - 1).pow(2).mean() + d(f).pow(2).mean() for d, r, f in ((self.da, a, fake_a), (self.db, b, fake_b)))
        loss.backward()
        self.opt_d.step()
        return loss.item()


if __name__ == "__main__":
    cycle = CycleModel()
    for _ in range(2):
        a, b = torch.randn(6, 5), torch.randn(6, 5)
        fa, fb, g = cycle.generator_step(a, b)
        print(g, cycle.critic_step(a, b, fa, fb))
