import argparse
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def parse():
    p = argparse.ArgumentParser("segmentation")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--resume", default="")
    p.add_argument("--output", default="last.pth")
    return p.parse_args()


def build_model(num_classes):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Conv2d(8, num_classes, 1)
    )


def train_one_epoch(model, criterion, loader, optimizer, device):
    model.train()
    total, n = 0.0, 0
    for image, target in loader:
        image, target = image.to(device), target.to(device)
        loss = criterion(model(image), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * image.size(0)
        n += image.size(0)
    return total / n


def main():
    args = parse()
    device = torch.device(args.device)
    data = TensorDataset(torch.rand(8, 3, 8, 8), torch.randint(0, 4, (8, 8, 8)))
    loader = DataLoader(data, batch_size=4, shuffle=True)
    model = build_model(4).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    start = 0
    if args.resume and os.path.isfile(args.resume):
        checkpoint = torch.load(args.resume, map_location=device)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, args.epochs):
        loss = train_one_epoch(model, criterion, loader, optimizer, device)
        print(f"{epoch}: {loss:.4f}")
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, args.output)


if __name__ == "__main__":
    main()
