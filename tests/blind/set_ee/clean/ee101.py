import argparse
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Generator(nn.Module):
    def __init__(self, nz, ngf):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, ndf):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, ndf, 4, 2, 1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0),
        )

    def forward(self, x):
        return self.main(x).view(-1)


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


parser = argparse.ArgumentParser()
parser.add_argument("--nz", type=int, default=16)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--niter", type=int, default=1)
parser.add_argument("--out", default=tempfile.gettempdir())
parser.add_argument("--net-g", default="", help="generator weights to continue from")
opt = parser.parse_args()

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
dataset = TensorDataset(torch.rand(64, 1, 16, 16) * 2 - 1)
dataloader = DataLoader(dataset, batch_size=opt.batch_size, shuffle=True)

netG = Generator(opt.nz, 8).to(device)
netG.apply(weights_init)
if opt.net_g:
    netG.load_state_dict(torch.load(opt.net_g, map_location=device, weights_only=True))
netD = Discriminator(8).to(device)
netD.apply(weights_init)

criterion = nn.BCEWithLogitsLoss()
fixed_noise = torch.randn(8, opt.nz, 1, 1, device=device)
real_label, fake_label = 1.0, 0.0

optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))

for epoch in range(opt.niter):
    for i, data in enumerate(dataloader, 0):
        netD.zero_grad()
        real = data[0].to(device)
        n = real.size(0)
        label = torch.full((n,), real_label, dtype=real.dtype, device=device)
        errD_real = criterion(netD(real), label)
        errD_real.backward()

        noise = torch.randn(n, opt.nz, 1, 1, device=device)
        fake = netG(noise)
        label.fill_(fake_label)
        errD_fake = criterion(netD(fake.detach()), label)
        errD_fake.backward()
        errD = errD_real + errD_fake
        optimizerD.step()

        netG.zero_grad()
        label.fill_(real_label)
        errG = criterion(netD(fake), label)
        errG.backward()
        optimizerG.step()
    print("[%d/%d] Loss_D: %.4f Loss_G: %.4f" % (epoch, opt.niter, errD.item(), errG.item()))

    with torch.no_grad():
        preview = netG(fixed_noise)
    torch.save(preview.cpu(), os.path.join(opt.out, "preview_%03d.pt" % epoch))
    torch.save(netG.state_dict(), os.path.join(opt.out, "netG_epoch_%d.pth" % epoch))
