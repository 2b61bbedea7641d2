"""Optimises a patch that pushes a classifier towards one class."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=10)
    p.add_argument("--size", type=int, default=6)
    p.add_argument("--target", type=int, default=2)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


class SmallCNN(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4))
        self.fc = nn.Linear(8 * 16, classes)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


class Patch:
    def __init__(self, size, device):
        self.size = size
        self.pixels = torch.rand(3, size, size, device=device, requires_grad=True)

    def paste(self, images, top=0, left=0):
        pad = (left, images.size(-1) - left - self.size, top, images.size(-2) - top - self.size)
        canvas = F.pad(self.pixels, pad)
        keep = F.pad(torch.ones_like(self.pixels), pad)
        return images * (1 - keep) + canvas * keep

    def parameters(self):
        yield self.pixels


def attack(model, patch, images, target, steps):
    opt = torch.optim.Adam(patch.parameters(), lr=0.05)
    labels = torch.full((images.size(0),), target, device=images.device)
    for _ in range(steps):
        opt.zero_grad()
        loss = F.cross_entropy(model(patch.paste(images)), labels)
        loss.backward()
        opt.step()
        with torch.no_grad():
            patch.pixels.clamp_(0, 1)
    return patch


if __name__ == "__main__":
    args = parse_args()
    net = SmallCNN().to(args.device).eval().requires_grad_(False)
    batch = torch.rand(4, 3, 16, 16, device=args.device)
    attack(net, Patch(args.size, args.device), batch, args.target, args.steps)
