import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

from segnet import SegNet


class Scenes(Dataset):
    def __init__(self, n=8, classes=5):
        self.n, self.classes = n, classes

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.randn(3, 32, 32), torch.randint(0, self.classes, (32, 32))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--classes", type=int, default=5)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    net = SegNet(args.classes).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=255)
    loader = DataLoader(Scenes(classes=args.classes), batch_size=4, shuffle=True)
    for epoch in range(args.epochs):
        running = 0.0
        for images, masks in loader:
            images, masks = images.to(device), masks.to(device)
            optimizer.zero_grad()
            loss = criterion(net(images), masks)
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"epoch {epoch}: {running / len(loader):.4f}")


if __name__ == "__main__":
    main()
