import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--latent", type=int, default=6)
parser.add_argument("--iters", type=int, default=3)
opt = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

G = nn.Sequential(nn.Linear(opt.latent, 24), nn.ReLU(), nn.Linear(24, 8), nn.Tanh()).to(device)
D = nn.Sequential(nn.Linear(8, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1)).to(device)
optG = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
optD = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()

for it in range(opt.iters):
    real = torch.rand(16, 8, device=device) * 2 - 1
    z = torch.randn(16, opt.latent, device=device)
    fake = G(z)

    # the discriminator sees the samples without their history
    optD.zero_grad()
    real_score, fake_score = D(real), D(fake.detach())
    d_loss = bce(real_score, torch.ones_like(real_score)) + bce(fake_score, torch.zeros_like(fake_score))
    d_loss.backward()
    optD.step()

    # the same samples once more, now with it
    optG.zero_grad()
    score = D(fake)
    g_loss = bce(score, torch.ones_like(score))
    g_loss.backward()
    optG.step()
    print(f"[{it}] D {d_loss.item():.3f} G {g_loss.item():.3f}")
