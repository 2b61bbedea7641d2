"""GAN with an image pool and one generated batch per step used by both players."""
import random

import torch
from torch import nn
import torch.nn.functional as F


class ImagePool:
    """Returns a mixture of new and older generated images (CycleGAN)."""

    def __init__(self, size=16):
        self.size = size
        self.images = []

    def query(self, batch):
        out = []
        for image in batch.detach():
            if len(self.images) < self.size:
                self.images.append(image)
                out.append(image)
            elif random.random() < 0.5:
                k = random.randrange(self.size)
                out.append(self.images[k])
                self.images[k] = image
            else:
                out.append(image)
        return torch.stack(out)


class GAN:
    def __init__(self, device, latent=4, data=6):
        self.device, self.latent = device, latent
        self.g = nn.Sequential(nn.Linear(latent, 16), nn.ReLU(), nn.Linear(16, data)).to(device)
        self.d = nn.Sequential(nn.Linear(data, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)).to(device)
        self.g_opt = torch.optim.Adam(self.g.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.d_opt = torch.optim.Adam(self.d.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.pool = ImagePool()

    def adversarial(self, logits, real: bool):
        target = torch.ones_like(logits) if real else torch.zeros_like(logits)
        return F.binary_cross_entropy_with_logits(logits, target)

    def set_trainable(self, net, flag):
        for p in net.parameters():
            p.requires_grad_(flag)

    def step(self, real):
        fake = self.g(torch.randn(real.size(0), self.latent, device=self.device))

        self.set_trainable(self.d, False)
        g_loss = self.adversarial(self.d(fake), True)
        self.g_opt.zero_grad()
        g_loss.backward()
        self.g_opt.step()

        self.set_trainable(self.d, True)
        d_loss = self.adversarial(self.d(real), True) + self.adversarial(self.d(self.pool.query(fake)), False)
        self.d_opt.zero_grad()
        d_loss.backward()
        self.d_opt.step()
        return g_loss.detach(), d_loss.detach()


if __name__ == "__main__":
    gan = GAN(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for _ in range(5):
        g_loss, d_loss = gan.step(torch.randn(8, 6, device=gan.device) + 2)
    print(g_loss.item(), d_loss.item())
