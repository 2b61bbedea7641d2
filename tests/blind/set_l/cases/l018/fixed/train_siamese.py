import argparse

import torch
import torch.nn as nn

from losses import NTXent


class Encoder(nn.Module):
    def __init__(self, dim=20, out=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, 16))
        self.projector = nn.Sequential(nn.ReLU(), nn.Linear(16, out))

    def forward(self, x):
        return self.projector(self.body(x))


def augment(x, noise=0.1, drop=0.2):
    keep = torch.rand_like(x) > drop
    return (x + noise * torch.randn_like(x)) * keep


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args(argv)
    device = torch.device(args.device)
    encoder = Encoder().to(device)
    criterion = NTXent()
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    for step in range(args.steps):
        x = torch.randn(16, 20, device=device)
        loss = criterion(encoder(augment(x)), encoder(augment(x)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step:03d} {loss.item():.4f}")


if __name__ == "__main__":
    main()
