import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Decoder(nn.Module):
    def __init__(self, latent=16):
        super().__init__()
        self.fc = nn.Linear(latent, 8 * 4 * 4)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(8, 8, 4, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1))

    def forward(self, z):
        return self.up(self.fc(z).view(-1, 8, 4, 4)).tanh()


def initial_latent(batch, latent, device, scale=0.1):
    noise = scale * torch.randn(batch, latent)
    return noise.to(device).requires_grad_(True)


def invert(decoder, images, steps, lr, device):
    z = initial_latent(images.size(0), decoder.fc.in_features, device)
    optimizer = torch.optim.Adam([z], lr=lr)
    for step in range(steps):
        optimizer.zero_grad()
        recon = decoder(z)
        loss = F.mse_loss(recon, images) + 1e-3 * z.square().mean()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(step, loss.item())
    return z.detach()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=20)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    decoder = Decoder().to(args.device).requires_grad_(False).eval()
    images = torch.rand(2, 3, 8, 8, device=args.device) * 2 - 1
    latent = invert(decoder, images, args.steps, args.lr, args.device)
    print("latent norm", latent.norm(dim=1).tolist())


if __name__ == "__main__":
    main()
