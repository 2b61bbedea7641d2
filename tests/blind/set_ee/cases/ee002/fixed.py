import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SegHead(nn.Module):
    def __init__(self, in_ch, n_classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(in_ch, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
        )
        self.out = nn.Conv2d(16, n_classes, 1)

    def forward(self, x):
        return self.out(self.body(x))


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--classes", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=4)
    return p.parse_args()


def prepare_model(args, device):
    model = SegHead(3, args.classes)
    n_gpu = torch.cuda.device_count()
    if n_gpu > 1:
        print("using", n_gpu, "GPUs")
        model = nn.DataParallel(model)
    return model.to(device)


def run_epoch(model, loader, criterion, optimizer, device):
    model.train()
    total, seen = 0.0, 0
    for images, masks in loader:
        images = images.to(device, non_blocking=True)
        masks = masks.to(device, non_blocking=True)
        optimizer.zero_grad()
        logits = model(images)
        loss = criterion(logits, masks)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(images)
        seen += len(images)
    return total / seen


def main():
    args = parse()
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

    images = torch.rand(16, 3, 24, 24)
    masks = torch.randint(0, args.classes, (16, 24, 24))
    loader = DataLoader(TensorDataset(images, masks), batch_size=args.batch_size, shuffle=True)

    model = prepare_model(args, device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        print(epoch, run_epoch(model, loader, criterion, optimizer, device))


if __name__ == "__main__":
    main()
