import argparse

import torch
import torch.nn.functional as F

from builder import build


def pairs(n, scale):
    for _ in range(n):
        hr = torch.rand(2, 3, 8, 8)
        yield F.avg_pool2d(hr, scale), hr


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--loss", default="perceptual")
    ap.add_argument("--scale", type=int, default=2)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--steps", type=int, default=2)
    args = ap.parse_args()
    model, criterion, optimizer, device = build(vars(args))
    model.train()
    for lr_img, hr_img in pairs(args.steps, args.scale):
        lr_img, hr_img = lr_img.to(device), hr_img.to(device)
        loss = criterion(model(lr_img), hr_img)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
