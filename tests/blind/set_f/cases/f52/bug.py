import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, Subset

MODES = []


class Mlp(nn.Module):
    def __init__(self, d=8, k=3, p=0.4):
        super().__init__()
        self.l1 = nn.Linear(d, 24)
        self.bn = nn.BatchNorm1d(24)
        self.drop = nn.Dropout(p)
        self.l2 = nn.Linear(24, k)

    def forward(self, x):
        MODES.append((self.training, torch.is_grad_enabled()))
        return self.l2(self.drop(torch.relu(self.bn(self.l1(x)))))


def evaluate(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(-1) == y).sum().item()
    return correct / len(loader.dataset)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--eval-every", type=int, default=1)
    args = ap.parse_args()
    full = TensorDataset(torch.randn(40, 8), torch.randint(0, 3, (40,)))
    train = DataLoader(Subset(full, range(32)), batch_size=8, shuffle=True)
    held = DataLoader(Subset(full, range(32, 40)), batch_size=8)
    model = Mlp()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for epoch in range(args.epochs):
        for x, y in train:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        if epoch % args.eval_every == 0:
            print(epoch, evaluate(model, held))


if __name__ == "__main__":
    main()
