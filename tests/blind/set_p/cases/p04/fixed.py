import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, count):
        self.images = torch.randn(count, 1, 16, 16)
        self.masks = (self.images > 0.5).float()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.masks[index]


def build_net(width=8):
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
        nn.Conv2d(width, 1, 1),
    )


def run_epoch(net, loader, criterion, optimizer, device):
    net.train()
    seen, running = 0, 0.0
    for images, masks in loader:
        images = images.to(device, non_blocking=True)
        masks = masks.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        logits = net(images)
        loss = criterion(logits, masks)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(images)
        seen += len(images)
    return running / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=8)
    args = parser.parse_args()

    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Patches(32), batch_size=args.batch_size, shuffle=True)
    net = build_net().to(device)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        print(epoch, run_epoch(net, loader, criterion, optimizer, device))


if __name__ == "__main__":
    main()
