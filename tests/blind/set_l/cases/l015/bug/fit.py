import argparse

import torch
import torch.nn.functional as F

from zoo import REGISTRY, create_model


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--arch", choices=sorted(REGISTRY), default="inception_small")
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--iters", type=int, default=3)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def main():
    args = parse()
    model = create_model(args.arch, channels=2, classes=4).to(args.device)
    print(args.arch, sum(p.numel() for p in model.parameters()))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for i in range(args.iters):
        x = torch.randn(8, 2, 40).to(args.device)
        y = torch.randint(0, 4, (8,)).to(args.device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(i, loss.item())


if __name__ == "__main__":
    main()
