import torch
from torch import nn, optim

nz, ngf, ndf = 16, 32, 32
batch_size = 24
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

netG = nn.Sequential(nn.Linear(nz, ngf), nn.BatchNorm1d(ngf), nn.ReLU(True), nn.Linear(ngf, 20), nn.Tanh()).to(device)
netD = nn.Sequential(nn.Linear(20, ndf), nn.LeakyReLU(0.2, inplace=True), nn.Linear(ndf, 1)).to(device)

criterion = nn.BCEWithLogitsLoss()
optimizerD = optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))

real_data = torch.tanh(torch.randn(96, 20) + 0.5)
real_label, fake_label = 1.0, 0.0
G_losses, D_losses = [], []

for epoch in range(2):
    for i, real in enumerate(real_data.split(batch_size)):
        netD.zero_grad()
        real = real.to(device)
        b_size = real.size(0)
        label = torch.full((b_size,), real_label, device=device)
        output = netD(real).view(-1)
        errD_real = criterion(output, label)
        errD_real.backward()
        D_x = output.detach().mean().item()

        noise = torch.randn(b_size, nz, device=device)
        fake = netG(noise)
        label.fill_(fake_label)
        output = netD(fake.detach()).view(-1)
        errD_fake = criterion(output, label)
        errD_fake.backward()
        D_G_z1 = output.detach().mean().item()
        optimizerD.step()

        netG.zero_grad()
        label = torch.full((b_size,), real_label, device=device)
        output = netD(fake).view(-1)
        errG = criterion(output, label)
        errG.backward()
        D_G_z2 = output.detach().mean().item()
        optimizerG.step()

        G_losses.append(errG.item())
        D_losses.append(errD_real.item() + errD_fake.item())
    print(f"[{epoch}] D(x) {D_x:.3f} D(G(z)) {D_G_z1:.3f}/{D_G_z2:.3f} {G_losses[-1]:.3f} {D_losses[-1]:.3f}")
