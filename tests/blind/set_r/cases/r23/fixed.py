import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class ResBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.conv2(torch.relu(self.conv1(x))))


def build(n_class):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), ResBlock(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, n_class)
    )


def train(model, loader, optimizer, scaler, device):
    model.train()
    total = 0.0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(images), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        total += loss.item()
    return total / len(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = TensorDataset(torch.randn(24, 3, 8, 8), torch.randint(0, 5, (24,)))
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model = build(5).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scaler = torch.amp.GradScaler(device.type)
    for epoch in range(args.epochs):
        print(epoch, train(model, loader, optimizer, scaler, device))


if __name__ == "__main__":
    main()
