import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class LatentBank:
    """One code per training shape, optimised together with the decoder."""

    def __init__(self, count, dim, std=0.01):
        self.codes = torch.empty(count, dim).normal_(0, std).requires_grad_(True)

    def to(self, device):
        self.codes = self.codes.to(device)
        return self

    def __getitem__(self, idx):
        return self.codes[idx]

    def penalty(self, idx):
        return self.codes[idx].pow(2).sum(dim=1).mean()


class Decoder(nn.Module):
    def __init__(self, dim, hidden=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(dim + 3, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, z, xyz):
        z = z[:, None, :].expand(-1, xyz.shape[1], -1)
        return torch.tanh(self.net(torch.cat([z, xyz], dim=-1))).squeeze(-1)


def sphere_sdf(xyz, radius):
    return xyz.norm(dim=-1) - radius[:, None]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--shapes", type=int, default=6)
    ap.add_argument("--dim", type=int, default=8)
    ap.add_argument("--iters", type=int, default=4)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()

    decoder = Decoder(args.dim).to(args.device)
    bank = LatentBank(args.shapes, args.dim).to(args.device)
    opt = torch.optim.Adam([
        {"params": decoder.parameters(), "lr": 5e-4},
        {"params": [bank.codes], "lr": 1e-3},
    ])
    radius = torch.linspace(0.2, 0.8, args.shapes, device=args.device)
    for it in range(args.iters):
        idx = torch.randperm(args.shapes)[:3].to(args.device)
        xyz = torch.rand(3, 50, 3, device=args.device) * 2 - 1
        pred = decoder(bank[idx], xyz)
        loss = F.l1_loss(pred, sphere_sdf(xyz, radius[idx])) + 1e-4 * bank.penalty(idx)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item())


if __name__ == "__main__":
    main()
