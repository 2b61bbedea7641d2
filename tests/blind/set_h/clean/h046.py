import itertools

import torch
from torch import nn
import torch.nn.functional as F


class Generator(nn.Module):
    def __init__(self, dim=2, hidden=32):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, x):
        return x + self.f(x)


def critic(dim=2, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.LeakyReLU(0.2), nn.Linear(hidden, 1))


def groups(modules, weight_decay):
    """Two groups per optimizer: biases and the rest."""
    named = itertools.chain.from_iterable(m.named_parameters() for m in modules)
    decay, plain = [], []
    for name, p in named:
        (plain if p.dim() == 1 else decay).append(p)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


class CycleGAN:
    def __init__(self, device):
        self.ab, self.ba = Generator().to(device), Generator().to(device)
        self.da, self.db = critic().to(device), critic().to(device)
        self.g_opt = torch.optim.Adam(itertools.chain(self.ab.parameters(), self.ba.parameters()), lr=2e-4, betas=(0.5, 0.999))
        self.d_opt = torch.optim.AdamW(groups([self.da, self.db], 1e-4), lr=2e-4)

    def set_critics(self, flag):
        for p in itertools.chain(self.da.parameters(), self.db.parameters()):
            p.requires_grad_(flag)

    def step(self, a, b):
        self.set_critics(False)
        fake_b, fake_a = self.ab(a), self.ba(b)
        cycle = F.l1_loss(self.ba(fake_b), a) + F.l1_loss(self.ab(fake_a), b)
        adv = (self.db(fake_b) - 1).square().mean() + (self.da(fake_a) - 1).square().mean()
        self.g_opt.zero_grad()
        (adv + 10 * cycle).backward()
        self.g_opt.step()

        self.set_critics(True)
        d_loss = sum(
            (d(real) - 1).square().mean() + d(fake.detach()).square().mean()
            for d, real, fake in ((self.da, a, fake_a), (self.db, b, fake_b))
        )
        self.d_opt.zero_grad()
        d_loss.backward()
        nn.utils.clip_grad_norm_([p for g in self.d_opt.param_groups for p in g["params"]], 5.0)
        self.d_opt.step()
        return cycle.item(), d_loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gan = CycleGAN(device)
    for i in range(6):
        a = torch.randn(32, 2, device=device)
        b = torch.randn(32, 2, device=device) * 0.5 + 2
        stats = gan.step(a, b)
    print("cycle %.3f critics %.3f" % stats)
