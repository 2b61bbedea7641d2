import torch
import torch.nn as nn
import torch.nn.functional as F


class InfoGAN:
    def __init__(self, device, z=6, codes=3):
        self.device, self.z, self.codes = device, z, codes
        self.g = nn.Sequential(nn.Linear(z + codes, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
        self.d = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)).to(device)
        self.q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, codes)).to(device)
        self.opt_g = torch.optim.Adam([*self.g.parameters(), *self.q.parameters()], lr=1e-3)
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=1e-3)

    def sample(self, n):
        c = torch.randint(0, self.codes, (n,), device=self.device)
        z = torch.randn(n, self.z, device=self.device)
        return self.g(torch.cat([z, F.one_hot(c, self.codes).float()], dim=1)), c

    def generator_step(self, n):
        self.opt_g.zero_grad()
        fake, c = self.sample(n)
        adv = F.softplus(-self.d(fake)).mean()
        loss = adv + F.cross_entropy(self.q(fake), c)
        loss.backward()
        # the discriminator has collected gradients on the way; they are not wanted
        self.opt_d.zero_grad()
        nn.utils.clip_grad_norm_(self.g.parameters(), 5.0)
        self.opt_g.step()
        return loss.item()

    def discriminator_step(self, real):
        fake, _ = self.sample(len(real))
        loss = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake.detach())).mean()
        loss.backward()
        self.opt_d.step()
        self.opt_d.zero_grad()
        return loss.item()


gan = InfoGAN(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
for it in range(5):
    real = torch.randn(24, 4, device=gan.device) + 2
    print(it, gan.discriminator_step(real), gan.generator_step(24))
