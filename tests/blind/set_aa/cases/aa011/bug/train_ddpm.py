import argparse

import torch

from ddpm import Diffusion, MLPNoise

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=20)
ap.add_argument("--schedule", choices=["linear", "cosine"], default="cosine")
ap.add_argument("--timesteps", type=int, default=20)
args = ap.parse_args()

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
diffusion = Diffusion(MLPNoise(2, steps=args.timesteps), args.timesteps, args.schedule).to(device)
opt = torch.optim.Adam(diffusion.parameters(), lr=1e-3)
moons = torch.randn(256, 2) * 0.1 + torch.randint(0, 2, (256, 1)) * 2.0 - 1.0
for step in range(args.steps):
    batch = moons[torch.randint(256, (32,))].to(device)
    loss = diffusion(batch)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
print(diffusion.sample((4, 2)).shape)
