import itertools
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class ImagePool:
    def __init__(self, size=8):
        self.size, self.images = size, []

    def query(self, batch):
        out = []
        for img in batch.detach().unsqueeze(1):
            if len(self.images) < self.size:
                self.images.append(img)
                out.append(img)
            elif random.random() > 0.5:
                i = random.randrange(self.size)
                out.append(self.images[i].clone())
                self.images[i] = img
            else:
                out.append(img)
        return torch.cat(out)


def gen():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.InstanceNorm2d(8), nn.ReLU(True), nn.Conv2d(8, 3, 3, padding=1), nn.Tanh())


def disc():
    return nn.Sequential(nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Conv2d(8, 1, 3, padding=1))


class CycleGAN:
    def __init__(self, device):
        self.G, self.Fm = gen().to(device), gen().to(device)
        self.DA, self.DB = disc().to(device), disc().to(device)
        self.opt_g = torch.optim.Adam(itertools.chain(self.G.parameters(), self.Fm.parameters()), 2e-4, (0.5, 0.999))
        self.opt_d = torch.optim.Adam(itertools.chain(self.DA.parameters(), self.DB.parameters()), 2e-4, (0.5, 0.999))
        self.pool_a, self.pool_b = ImagePool(), ImagePool()

    @staticmethod
    def lsgan(pred, real):
        return F.mse_loss(pred, torch.full_like(pred, 1.0 if real else 0.0))

    @staticmethod
    def set_requires_grad(nets, flag):
        for net in nets:
            for p in net.parameters():
                p.requires_grad = flag

    def backward_g(self, a, b):
        fb, fa = self.G(a), self.Fm(b)
        loss = self.lsgan(self.DB(fb), True) + self.lsgan(self.DA(fa), True)
        loss = loss + 10 * (F.l1_loss(self.Fm(fb), a) + F.l1_loss(self.G(fa), b))
        loss = loss + 5 * (F.l1_loss(self.G(b), b) + F.l1_loss(self.Fm(a), a))
        loss.backward()
        return fa, fb, loss

    def optimize(self, a, b):
        self.set_requires_grad([self.DA, self.DB], False)
        self.opt_g.zero_grad()
        fa, fb, lg = self.backward_g(a, b)
        self.opt_g.step()
        self.set_requires_grad([self.DA, self.DB], True)
        self.opt_d.zero_grad()
        for d, real, fake in ((self.DA, a, self.pool_a.query(fa)), (self.DB, b, self.pool_b.query(fb))):
            loss = 0.5 * (self.lsgan(d(real), True) + self.lsgan(d(fake), False))
            loss.backward()
        self.opt_d.step()
        return lg.detach()


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = CycleGAN(device)
    for _ in range(5):
        a, b = torch.rand(4, 3, 12, 12), -torch.rand(4, 3, 12, 12)
        out = model.optimize(a.to(device), b.to(device))
    print(out.item())
