from __future__ import print_function

import argparse

import torch
import torch.nn as nn
import torch.optim as optim

parser = argparse.ArgumentParser()
parser.add_argument("--batchSize", type=int, default=8)
parser.add_argument("--nz", type=int, default=16)
parser.add_argument("--niter", type=int, default=25)
parser.add_argument("--beta1", type=float, default=0.5)
parser.add_argument("--no_cuda", action="store_true")


class Generator(nn.Module):
    def __init__(self, nz, ngf=8):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, ndf=8):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(1, ndf, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(ndf, 1, 4, 1, 0))

    def forward(self, img):
        return self.main(img).view(-1)


def main():
    opt = parser.parse_args()
    use_cuda = torch.cuda.is_available() and not opt.no_cuda
    device = torch.device("cuda" if use_cuda else "cpu")
    netG, netD = Generator(opt.nz).to(device), Discriminator().to(device)
    criterion = nn.BCEWithLogitsLoss()
    optD = optim.Adam(netD.parameters(), lr=2e-4, betas=(opt.beta1, 0.999))
    optG = optim.Adam(netG.parameters(), lr=2e-4, betas=(opt.beta1, 0.999))
    for epoch in range(opt.niter):
        for _ in range(2):
            real = torch.rand(opt.batchSize, 1, 8, 8).to(device)
            ones = torch.full((opt.batchSize,), 1.0, device=device)
            zeros = torch.full((opt.batchSize,), 0.0, device=device)

            optD.zero_grad()
            noise = torch.randn(opt.batchSize, opt.nz, 1, 1, device=device)
            fake = netG(noise)
            errD = criterion(netD(real), ones) + criterion(netD(fake.detach()), zeros)
            errD.backward()
            optD.step()

            optG.zero_grad()
            errG = criterion(netD(fake), ones)
            errG.backward()
            optG.step()
        print("[%d] D %.3f G %.3f" % (epoch, errD.item(), errG.item()))


if __name__ == "__main__":
    main()
