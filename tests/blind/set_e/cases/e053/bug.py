import argparse

import torch
from torch import nn


class Reg(nn.Module):
    def __init__(self, d=5):
        super().__init__()
        self.norm, self.lin = nn.LayerNorm(d), nn.Linear(d, 1)

    def forward(self, x):
        return self.lin(self.norm(x)).squeeze(-1)


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Reg().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for step in range(1, args.steps + 1):
        x = torch.randn(8, 5, device=device)
        loss = nn.functional.mse_loss(model(x), x[:, 0]) / args.accum
        loss.backward()
        if step % args.accum == 0:
            optimizer.zero_grad()
            optimizer.step()
            print(step, loss.item() * args.accum)


if __name__ == "__main__":
    main()
