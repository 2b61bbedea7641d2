import argparse

import torch
from torch import nn
import torch.nn.functional as F

from parallel import load_flexible, parse_gpus, unwrap, wrap


class Scorer(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 12), nn.ReLU(), nn.Linear(12, classes))
        self.register_buffer("prior", torch.zeros(classes))

    def set_prior(self, counts):
        self.prior.copy_((counts / counts.sum()).log())

    def forward(self, x):
        position = torch.arange(x.size(1), device=x.device)
        return self.net(x + 0.01 * position) + self.prior


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpus", default="0,1")
    p.add_argument("--init", default=None)
    p.add_argument("--steps", type=int, default=3)
    args = p.parse_args()
    model, device = wrap(Scorer(), parse_gpus(args.gpus))
    if args.init:
        load_flexible(model, torch.load(args.init, map_location="cpu"))
    unwrap(model).set_prior(torch.tensor([3.0, 2.0, 1.0]))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for step in range(args.steps):
        x = torch.randn(8, 6).to(device)
        loss = F.cross_entropy(model(x), torch.randint(0, 3, (8,)).to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
    print(sorted(unwrap(model).state_dict()))


if __name__ == "__main__":
    main()
