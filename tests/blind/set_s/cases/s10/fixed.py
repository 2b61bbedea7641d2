import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


def build_model():
    return nn.Sequential(
        nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3),
        nn.Linear(32, 3),
    )


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=1e-2, epochs=3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.train_loader, self.val_loader = train_loader, val_loader
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=0.9)
        self.epochs = epochs
        self.best = 0.0

    def fit(self):
        for epoch in range(self.epochs):
            loss = self.train_epoch()
            acc = self.validate()
            self.best = max(self.best, acc)
            print(f"{epoch}: loss {loss:.4f} acc {acc:.3f} best {self.best:.3f}")

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for x, y in self.train_loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return (total / len(self.train_loader)).item()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        correct = 0
        for x, y in self.val_loader:
            correct += (self.model(x.to(self.device)).argmax(1).cpu() == y).sum()
        return (correct / len(self.val_loader.dataset)).item()


x = torch.randn(120, 10)
data = TensorDataset(x, x[:, :3].argmax(1))
train_set, val_set = random_split(data, [96, 24])
trainer = Trainer(build_model(), DataLoader(train_set, batch_size=16, shuffle=True), DataLoader(val_set, batch_size=24))
trainer.fit()
