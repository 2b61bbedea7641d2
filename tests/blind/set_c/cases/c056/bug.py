import argparse
import math

import torch
from torch import nn


def warmup_cosine(step, warmup, total):
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=12, classes=4):
        super().__init__()
        self.tok = nn.Linear(tokens, tokens)
        self.ch = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, classes)

    def forward(self, x):
        x = x + self.tok(self.norm(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.ch(self.norm(x))
        return self.out(x.mean(1))


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--warmup", type=int, default=10)
    args = p.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Mixer().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: warmup_cosine(s, args.warmup, args.steps))
    for step in range(args.steps):
        scheduler.step()
        x = torch.randn(8, 6, 12, device=device)
        y = x.mean((1, 2)).gt(0).long()
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item(), optimizer.param_groups[0]["lr"])


if __name__ == "__main__":
    main()
