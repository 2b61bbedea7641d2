import torch
from torch import nn

from callbacks import Plateau


class Trainer:
    def __init__(self, model, lr):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.loss = nn.CrossEntropyLoss()

    def _train_epoch(self, loader):
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            loss = self.loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def _validate(self, loader):
        self.model.eval()
        total = 0.0
        with torch.no_grad():
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                total += self.loss(self.model(x), y).item()
        return total / len(loader)

    def fit(self, train_loader, val_loader, epochs):
        stop = Plateau()
        self.model.train()
        for epoch in range(epochs):
            self._train_epoch(train_loader)
            value = self._validate(val_loader)
            print(epoch, value)
            if stop(value):
                break
