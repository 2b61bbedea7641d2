import argparse

import torch
import torch.nn.functional as F

from nets import NoiseSource, discriminator, generator

parser = argparse.ArgumentParser()
parser.add_argument("--z", type=int, default=16)
parser.add_argument("--steps", type=int, default=3)
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")

G = generator(args.z, 10).to(args.device)
D = discriminator(10).to(args.device)
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
noise = NoiseSource(args.z, args.device)

for i in range(args.steps):
    real = torch.tanh(torch.randn(16, 10)).to(args.device)
    fake = G(noise(16))
    d_loss = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = F.softplus(-D(fake)).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
print(d_loss.item(), g_loss.item())
