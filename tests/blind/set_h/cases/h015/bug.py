import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--seed", type=int, default=11)
parser.add_argument("--gpus", type=int, default=max(1, torch.cuda.device_count()))


class ConvNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 3, padding=1)
        self.c2 = nn.Conv2d(8, 16, 3, padding=1)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(16 * 7 * 7, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(self.drop(x.flatten(1)))


def fake_mnist(n):
    y = torch.randint(0, 10, (n,))
    x = torch.randn(n, 1, 28, 28) * 0.1
    x[torch.arange(n), 0, y * 2, 14] += 3
    return TensorDataset(x, y)


def build(device, gpus):
    model = ConvNet()
    if gpus > 1:
        print("using", gpus, "cards")
        model = model.to(device)
        model = nn.DataParallel(model, device_ids=list(range(gpus)))
    return model


def main():
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = build(device, args.gpus)
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    train_loader = DataLoader(fake_mnist(96), batch_size=args.batch, shuffle=True)
    for epoch in range(args.epochs):
        model.train()
        for i, (data, target) in enumerate(train_loader):
            data, target = data.to(device), target.to(device)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(data), target)
            loss.backward()
            optimizer.step()
            if i % 3 == 0:
                print(f"epoch {epoch} [{i * len(data)}] loss {loss.item():.4f}")
        scheduler.step()


if __name__ == "__main__":
    main()
