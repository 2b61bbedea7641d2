import argparse

import torch
from torch.utils.data import DataLoader, Dataset

from detection import Detector, detection_loss


class Shapes(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        n = 1 + i % 2
        xy = torch.rand(n, 2) * 6
        boxes = torch.cat([xy, xy + 4 + 5 * torch.rand(n, 2)], dim=1)
        return torch.rand(3, 16, 16), {"boxes": boxes, "labels": torch.randint(0, 3, (n,)), "id": i}


def collate(rows):
    images, targets = zip(*rows)
    return torch.stack(images), list(targets)


def to_device(targets, device):
    return [{k: v.to(device) if torch.is_tensor(v) else v for k, v in t.items()} for t in targets]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=1)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Detector().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for images, targets in DataLoader(Shapes(), 4, collate_fn=collate):
            cls, boxes = model(images.to(device))
            loss = detection_loss(model.head, cls, boxes, to_device(targets, device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
