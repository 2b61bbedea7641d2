import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--latent", type=int, default=4)
    return p.parse_args()


class VAE(nn.Module):
    def __init__(self, dim, latent):
        super().__init__()
        self.enc = nn.Linear(dim, 32)
        self.stats = nn.Linear(32, 2 * latent)
        self.dec = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, dim))

    def encode(self, x):
        return self.stats(F.relu(self.enc(x))).chunk(2, dim=1)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def elbo(recon, x, mu, logvar):
    rec = F.mse_loss(recon, x, reduction="sum")
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
    return (rec + kl) / len(x)


@torch.no_grad()
def sample_grid(model, args, n=16):
    model.eval()
    z = torch.randn(n, args.latent).to(args.device)
    return model.dec(z).cpu()


def main():
    args = get_args()
    model = VAE(20, args.latent).to(args.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = torch.rand(96, 20)
    for epoch in range(args.epochs):
        model.train()
        for x in data.split(32):
            x = x.to(args.device)
            recon, mu, logvar = model(x)
            loss = elbo(recon, x, mu, logvar)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        grid = sample_grid(model, args)
        print(epoch, loss.item(), grid.mean().item())


if __name__ == "__main__":
    main()
