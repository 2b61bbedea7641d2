"""Linear probe on frozen features; the features are computed once."""
from functools import cached_property

import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, width, 3, stride=2), nn.ReLU(), nn.Conv2d(width, width, 3, stride=2), nn.ReLU())

    @torch.inference_mode()
    def embed(self, images):
        return self.conv(images).flatten(2).mean(-1)


class Features:
    def __init__(self, backbone, images, batch=16):
        self.backbone = backbone.eval()
        self.images = images
        self.batch = batch

    @cached_property
    def table(self):
        parts = [self.backbone.embed(c) for c in self.images.split(self.batch)]
        table = torch.cat(parts)
        return (table - table.mean(0)) / (table.std(0) + 1e-6)

    def __getitem__(self, rows):
        return self.table[rows]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    images = torch.randn(64, 3, 16, 16, device=device)
    labels = torch.randint(0, 3, (64,), device=device)
    feats = Features(Backbone().to(device), images)
    probe = nn.Linear(12, 3).to(device)
    optimizer = torch.optim.SGD(probe.parameters(), lr=0.5, momentum=0.9)
    for epoch in range(4):
        for rows in torch.randperm(64).split(16):
            rows = rows.to(device)
            optimizer.zero_grad()
            loss = F.cross_entropy(probe(feats[rows]), labels[rows])
            loss.backward()
            optimizer.step()
    print(f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
