import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split


class Spiral(Dataset):
    def __init__(self, n=120, arms=3):
        label = torch.arange(n) % arms
        r = torch.rand(n)
        a = 4 * r + label * 2 * torch.pi / arms
        self.x = torch.stack([r * a.cos(), r * a.sin()], 1) + 0.02 * torch.randn(n, 2)
        self.y = label

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Trainer:
    def __init__(self, model, train, val, lr=1e-2):
        self.model, self.train_loader, self.val_loader = model, train, val
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.loss_fn = nn.CrossEntropyLoss()
        self.best = 0.0

    def train_epoch(self):
        self.model.train()
        for x, y in self.train_loader:
            loss = self.loss_fn(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    def validate(self):
        self.model.eval()
        torch.set_grad_enabled(False)
        right = total = 0
        for x, y in self.val_loader:
            right += (self.model(x).argmax(1) == y).sum().item()
            total += len(y)
        return right / total

    def fit(self, epochs):
        for epoch in range(epochs):
            self.train_epoch()
            acc = self.validate()
            self.best = max(self.best, acc)
            print(f"[{epoch}] acc {acc:.3f} best {self.best:.3f}")


train, val = random_split(Spiral(), [90, 30])
net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
Trainer(net, DataLoader(train, 16, shuffle=True), DataLoader(val, 30)).fit(3)
