import argparse

import torch
import torch.nn.functional as F
from torch import nn


class PatchApplier(nn.Module):
    """Pastes the patch at a random place of every image."""

    def forward(self, images, patch):
        out = images.clone()
        size = patch.size(-1)
        for i in range(images.size(0)):
            top, left = torch.randint(0, images.size(-1) - size, (2,)).tolist()
            out[i, :, top:top + size, left:left + size] = patch
        return out


class Victim(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.conv(x).mean(dim=(2, 3)))


class PatchAttack:
    def __init__(self, model, args):
        self.device = torch.device(args.device)
        self.model = model.eval().requires_grad_(False).to(self.device)
        self.applier = PatchApplier()
        self.target = args.target
        self.patch = torch.rand(3, args.size, args.size, device=self.device, requires_grad=True)
        self.opt = torch.optim.Adam([self.patch], lr=args.lr)

    def step(self, images):
        logits = self.model(self.applier(images.to(self.device), self.patch))
        goal = torch.full((len(images),), self.target, device=self.device)
        loss = F.cross_entropy(logits, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            self.patch.clamp_(0, 1)
        return loss.item()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--size", type=int, default=6)
    ap.add_argument("--target", type=int, default=2)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    attack = PatchAttack(Victim(), ap.parse_args())
    for i in range(4):
        print(i, attack.step(torch.rand(5, 3, 24, 24)))
