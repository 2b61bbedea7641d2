import argparse

import torch
import torch.nn as nn

from nets import Discriminator, Generator


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--batch", type=int, default=16)
    return p.parse_args()


def main():
    args = parse()
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    netG, netD = Generator(8, 12).to(device), Discriminator(12).to(device)
    criterion = nn.BCEWithLogitsLoss()
    optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
    optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
    fixed = torch.randn(4, 8, device=device)
    for i in range(args.steps):
        netD.zero_grad()
        real = torch.randn(args.batch, 12).to(device)
        label = torch.full((args.batch,), 1.0, device=device)
        errD_real = criterion(netD(real), label)
        errD_real.backward()
        fake = netG(torch.randn(args.batch, 8, device=device))
        label.fill_(0.0)
        errD_fake = criterion(netD(fake.detach()), label)
        errD_fake.backward()
        optD.step()

        netG.zero_grad()
        label.fill_(1.0)
        errG = criterion(netD(fake), label)
        errG.backward()
        optG.step()
        if i % 2 == 0:
            print(i, (errD_real + errD_fake).item(), errG.item())
    netG.eval()
    with torch.no_grad():
        print(netG(fixed).cpu().numpy().std())


if __name__ == "__main__":
    main()
