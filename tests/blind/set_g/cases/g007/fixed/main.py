import argparse

import torch
from torch import nn

from ema import ExponentialMovingAverage


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--decay", type=float, default=0.99)
    return p.parse_args()


def build(width):
    return nn.Sequential(nn.Linear(6, width), nn.GELU(), nn.LayerNorm(width), nn.Linear(width, 1))


def main():
    args = get_args()
    model = build(32)
    model = model.to(args.device)
    ema = ExponentialMovingAverage(model, args.decay)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loss_fn = nn.SmoothL1Loss()
    for step in range(args.steps):
        x = torch.randn(32, 6).to(args.device)
        y = x.prod(dim=1, keepdim=True)
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        ema.update(model)
        print(step, loss.item())
    ema.copy_to(model)


if __name__ == "__main__":
    main()
