import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--device", type=str, default="cuda:0" if torch.cuda.is_available() else "cpu")
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--temperature", type=float, default=0.1)
    return p.parse_args()


class Projector(nn.Module):
    def __init__(self, d=24, out=8):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, 32))
        self.head = nn.Linear(32, out)

    def forward(self, x):
        return F.normalize(self.head(self.backbone(x)), dim=-1)


def info_nce(z1, z2, temperature):
    n = z1.size(0)
    z = torch.cat([z1, z2])
    sim = z @ z.t() / temperature
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool, device=z.device), float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(0, n)]).cuda()
    return F.cross_entropy(sim, target)


def augment(x, strength=0.1):
    return x + strength * torch.randn_like(x)


def main():
    args = get_args()
    device = torch.device(args.device)
    model = Projector().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    for step in range(args.steps):
        x = torch.randn(16, 24, device=device)
        loss = info_nce(model(augment(x)), model(augment(x)), args.temperature)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
