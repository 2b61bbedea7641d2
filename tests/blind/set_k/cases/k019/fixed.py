import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Bounded:
    """Mixin: keeps a statistic inside a range."""

    low, high = -8.0, 4.0

    def bound(self, stat):
        return stat.clamp(self.low, self.high)


class Encoder(Bounded, nn.Module):
    def __init__(self, inp, latent):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inp, 64), nn.ReLU(), nn.Linear(64, 2 * latent))

    def forward(self, x):
        mean, logvar = self.body(x).chunk(2, dim=-1)
        return mean, self.bound(logvar)


class VAE(nn.Module):
    def __init__(self, inp=36, latent=4):
        super().__init__()
        self.encoder = Encoder(inp, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 64), nn.ReLU(), nn.Linear(64, inp))

    def forward(self, x):
        mean, logvar = self.encoder(x)
        z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        return self.decoder(z), mean, logvar


def elbo(logits, x, mean, logvar, beta):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kl = -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum()
    return (rec + beta * kl) / len(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--beta", type=float, default=0.5)
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    vae = VAE().to(device)
    opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
    for step in range(args.steps):
        x = (torch.rand(16, 36, device=device) > 0.6).float()
        logits, mean, logvar = vae(x)
        loss = elbo(logits, x, mean, logvar, args.beta)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("final", round(loss.item(), 3))


if __name__ == "__main__":
    main()
