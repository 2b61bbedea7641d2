import argparse

import torch

from encoder import SimCLR
from losses import NTXent


def jitter(x, sigma=0.1):
    return x + sigma * torch.randn_like(x)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=20)
    ap.add_argument("--dim", type=int, default=12)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    model = SimCLR(args.dim).to(args.device)
    criterion = NTXent()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(args.steps):
        x = torch.randn(8, args.dim).to(args.device)
        loss = criterion(model(jitter(x)), model(jitter(x)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{step} {loss.item():.3f}")


if __name__ == "__main__":
    main()
