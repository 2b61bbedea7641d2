"""Tiny anchor-free detector trained on synthetic scenes."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Scenes(Dataset):
    def __init__(self, length=32, size=32, cells=4, classes=5):
        self.length, self.size = length, size
        self.cells, self.classes = cells, classes

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        n = self.cells * self.cells
        return {
            "image": torch.randn(3, self.size, self.size, generator=g),
            "boxes": torch.rand(n, 4, generator=g),
            "labels": torch.randint(0, self.classes, (n,), generator=g),
            "image_id": i,
        }


class Head(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.cls = nn.Conv2d(width, classes, 1)
        self.box = nn.Conv2d(width, 4, 1)

    def forward(self, f):
        return self.cls(f).flatten(2).transpose(1, 2), self.box(f).flatten(2).transpose(1, 2).sigmoid()


class Detector(nn.Module):
    def __init__(self, width=16, classes=5):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(),
            nn.Conv2d(width, width, 3, 2, 1), nn.ReLU(),
            nn.Conv2d(width, width, 3, 2, 1), nn.ReLU(),
        )
        self.head = Head(width, classes)

    def forward(self, images):
        return self.head(self.stem(images))


TENSOR_KEYS = ("image", "boxes", "labels")


def move_batch(batch, device, keys=TENSOR_KEYS):
    out = dict(batch)
    for k in keys:
        out[k] = batch[k].to(device, non_blocking=True)
    return out


def detection_loss(outputs, batch, box_weight=2.0):
    scores, boxes = outputs
    cls_loss = F.cross_entropy(scores.flatten(0, 1), batch["labels"].flatten())
    box_loss = F.smooth_l1_loss(boxes, batch["boxes"])
    return cls_loss + box_weight * box_loss


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=1)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Scenes(), batch_size=8, shuffle=True)
    model = Detector().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for batch in loader:
            batch = move_batch(batch, device)
            loss = detection_loss(model(batch["image"]), batch)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
