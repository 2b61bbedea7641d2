import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser(description="VAE on toy digits")
parser.add_argument("--cpu", action="store_true", help="do not use the GPU")
parser.add_argument("--latent", type=int, default=4)
parser.add_argument("--epochs", type=int, default=1)
args = parser.parse_args()

use_gpu = torch.cuda.is_available() and not args.cpu
device = torch.device("cuda" if use_gpu else "cpu")


class VAE(nn.Module):
    def __init__(self, d=20, z=4):
        super().__init__()
        self.enc = nn.Linear(d, 32)
        self.mu = nn.Linear(32, z)
        self.logvar = nn.Linear(32, z)
        self.dec = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))

    def encode(self, x):
        h = F.relu(self.enc(x))
        return self.mu(h), self.logvar(h)

    def reparameterize(self, mu, logvar):
        std = (0.5 * logvar).exp()
        eps = torch.randn(std.size(), device="cuda")
        return mu + eps * std

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.dec(self.reparameterize(mu, logvar)), mu, logvar


def elbo(recon, x, mu, logvar):
    bce = F.binary_cross_entropy_with_logits(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


model = VAE(z=args.latent).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def train(epoch):
    model.train()
    for _ in range(3):
        data = torch.rand(8, 20).to(device)
        optimizer.zero_grad()
        loss = elbo(*(lambda out: (out[0], data, out[1], out[2]))(model(data)))
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.2f}")


if __name__ == "__main__":
    for e in range(args.epochs):
        train(e)
