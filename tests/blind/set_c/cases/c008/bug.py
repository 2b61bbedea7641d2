import argparse

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, n):
        self.x = torch.rand(n, 1, 14, 14)
        self.y = torch.randint(0, 10, (n,))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"image": self.x[i], "label": self.y[i]}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(4 * 6 * 6, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        return self.fc(self.drop(torch.flatten(x, 1)))


def train(model, device, loader, optimizer):
    model.train()
    for batch in loader:
        image, label = batch["image"].to(device), batch["label"].to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(image), label)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def test(model, device, loader):
    model.eval()
    correct = 0
    for batch in loader:
        image = batch["image"]
        label = batch["label"].to(device)
        output = model(image)
        correct += output.argmax(dim=1).eq(label).sum().item()
    print(f"accuracy {correct / len(loader.dataset):.2%}")


def main():
    parser = argparse.ArgumentParser(description="digits")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--lr", type=float, default=1.0)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = DataLoader(Digits(16), batch_size=8, shuffle=True)
    test_loader = DataLoader(Digits(8), batch_size=8)
    model = Net().to(device)
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    for _ in range(args.epochs):
        train(model, device, train_loader, optimizer)
        test(model, device, test_loader)
        scheduler.step()


if __name__ == "__main__":
    main()
