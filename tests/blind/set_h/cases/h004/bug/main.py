import torch
import torch.nn as nn
from torch.utils.data import DataLoader, random_split

from data import Transactions


class Detector(nn.Module):
    def __init__(self, dim=16, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 2))

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, model, weight, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.criterion = nn.CrossEntropyLoss(weight=weight, label_smoothing=0.05)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def run_epoch(self, loader):
        self.model.train()
        total = torch.zeros((), device=self.device)
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return total.item() / len(loader)

    @torch.no_grad()
    def recall(self, loader):
        self.model.eval()
        hit = seen = 0
        for x, y in loader:
            pred = self.model(x.to(self.device)).argmax(1).cpu()
            hit += ((pred == 1) & (y == 1)).sum().item()
            seen += (y == 1).sum().item()
        return hit / max(seen, 1)


def main():
    torch.manual_seed(0)
    dataset = Transactions()
    train_set, test_set = random_split(dataset, [320, 80])
    trainer = Trainer(Detector(), dataset.balance())
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=80)
    for epoch in range(3):
        print(epoch, trainer.run_epoch(train_loader), trainer.recall(test_loader))


if __name__ == "__main__":
    main()
