"""Image translation: the generator is frozen while the discriminator learns."""
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


@contextmanager
def frozen(*nets):
    params = [p for net in nets for p in net.parameters()]
    for p in params:
        p.requires_grad_(False)
    try:
        yield
    finally:
        for p in params:
            p.requires_grad_(True)


class Translator(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, 1, 3, padding=1), nn.Tanh())

    def forward(self, x):
        return self.net(x)


class PatchCritic(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(2, width, 4, stride=2), nn.LeakyReLU(0.2), nn.Conv2d(width, 1, 3))

    def forward(self, source, image):
        return self.net(torch.cat([source, image], dim=1))


def gan_loss(score, real):
    return F.binary_cross_entropy_with_logits(score, torch.full_like(score, float(real)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    G, D = Translator().to(device), PatchCritic().to(device)
    opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
    for step in range(4):
        source = torch.randn(4, 1, 16, 16, device=device)
        wanted = source.flip(-1)

        with frozen(G):
            fake = G(source)
            d_loss = 0.5 * (gan_loss(D(source, wanted), True) + gan_loss(D(source, fake), False))
            opt_d.zero_grad()
            d_loss.backward()
            opt_d.step()

        with frozen(D):
            fake = G(source)
            g_loss = gan_loss(D(source, fake), True) + 10 * F.l1_loss(fake, wanted)
            opt_g.zero_grad()
            g_loss.backward()
            opt_g.step()
        print(step, round(d_loss.item(), 3), round(g_loss.item(), 3))


if __name__ == "__main__":
    main()
