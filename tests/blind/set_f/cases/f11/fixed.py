import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Net(nn.Module):
    def __init__(self, num_classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1),
        )
        self.classifier = nn.Linear(16, num_classes)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def get_loaders(bs=8):
    full = TensorDataset(torch.randn(48, 3, 8, 8), torch.randint(0, 4, (48,)))
    train, val = random_split(full, [32, 16])
    return DataLoader(train, bs, shuffle=True), DataLoader(val, bs)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train_epoch(net, loader, optimizer, criterion):
    net.train()
    running = 0.0
    for inputs, targets in loader:
        inputs, targets = inputs.to(device, non_blocking=True), targets.to(device, non_blocking=True)
        optimizer.zero_grad()
        loss = criterion(net(inputs), targets)
        loss.backward()
        optimizer.step()
        running += loss.item() * inputs.size(0)
    return running / len(loader.dataset)


@torch.no_grad()
def accuracy(net, loader):
    net.eval()
    hits = 0
    for inputs, targets in loader:
        outputs = net(inputs.to(device))
        hits += (outputs.argmax(1).cpu() == targets).sum().item()
    return hits / len(loader.dataset)


def main():
    train, val = get_loaders()
    net = Net().to(device)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    for epoch in range(2):
        t0 = time.perf_counter()
        loss = train_epoch(net, train, optimizer, criterion)
        scheduler.step()
        print(epoch, loss, accuracy(net, val), time.perf_counter() - t0)


if __name__ == "__main__":
    main()
