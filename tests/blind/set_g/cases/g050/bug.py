import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

modes = []


class BNNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(6, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Dropout(0.3), nn.Linear(20, 2))

    def forward(self, x):
        return self.f(x)


class Learner:
    def __init__(self, model, train, val, patience=2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.train_loader, self.val_loader = train, val
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        self.patience, self.bad_epochs, self.best = patience, 0, float("inf")

    def validate(self):
        self.model.eval()
        with torch.no_grad():
            losses = [F.cross_entropy(self.model(x.to(self.device)), y.to(self.device)).item() for x, y in self.val_loader]
        return sum(losses) / len(losses)

    def run(self, epochs):
        self.model.train()
        for epoch in range(epochs):
            for x, y in self.train_loader:
                x, y = x.to(self.device), y.to(self.device)
                modes.append(self.model.training)
                loss = F.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            value = self.validate()
            print(epoch, loss.item(), value)
            if value < self.best:
                self.best, self.bad_epochs = value, 0
            else:
                self.bad_epochs += 1
            if self.bad_epochs > self.patience:
                break


if __name__ == "__main__":
    x = torch.randn(40, 6)
    y = (x[:, 0] * x[:, 1] > 0).long()
    learner = Learner(
        BNNet(),
        DataLoader(TensorDataset(x[:32], y[:32]), batch_size=8, shuffle=True),
        DataLoader(TensorDataset(x[32:], y[32:]), batch_size=8),
    )
    learner.run(2)
