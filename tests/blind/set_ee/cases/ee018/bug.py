import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def small_cnn(n_classes):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, n_classes),
    )


class PatchAttack:
    """Learns one square patch that drives every image towards the target class."""

    def __init__(self, model, size, target, lr, device):
        self.model = model.eval()
        for p in self.model.parameters():
            p.requires_grad_(False)
        self.target = target
        self.size = size
        self.patch = torch.rand(3, size, size, device=device, requires_grad=True)
        self.opt = torch.optim.Adam([self.patch], lr=lr)

    def paste(self, images, top, left):
        h, w = images.shape[-2:]
        pad = (left, w - left - self.size, top, h - top - self.size)
        mask = F.pad(torch.ones_like(self.patch[:1]), pad)
        return images * (1 - mask) + F.pad(self.patch, pad)

    def step(self, images):
        limit = images.size(-1) - self.size
        top, left = torch.randint(0, limit, (2,)).tolist()
        logits = self.model(self.paste(images, top, left))
        goal = torch.full((images.size(0),), self.target, device=images.device)
        loss = F.cross_entropy(logits, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.project()
        return loss.item()

    def project(self):
        self.patch.clamp_(0.0, 1.0)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=4)
    ap.add_argument("--size", type=int, default=8)
    ap.add_argument("--target", type=int, default=2)
    args = ap.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    attack = PatchAttack(small_cnn(5).to(device), args.size, args.target, 0.05, device)
    for i in range(args.steps):
        images = torch.rand(6, 3, 32, 32, device=device)
        print(i, attack.step(images))


if __name__ == "__main__":
    main()
