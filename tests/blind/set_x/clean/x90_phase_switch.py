"""One loop for all phases; gradients follow the phase."""
from contextlib import nullcontext
from enum import Enum

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Phase(Enum):
    TRAIN = "train"
    VALID = "valid"

    @property
    def training(self):
        return self is Phase.TRAIN

    def grad(self):
        return nullcontext() if self.training else torch.no_grad()


class Loop:
    def __init__(self, model, device):
        self.model = model.to(device)
        self.device = device
        self.criterion = nn.HuberLoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, patience=0)

    def run(self, phase: Phase, loader):
        self.model.train(phase.training)
        total = torch.zeros((), device=self.device)
        seen = 0
        with phase.grad():
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                loss = self.criterion(self.model(x), y)
                if phase.training:
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                total += loss.detach() * x.size(0)
                seen += x.size(0)
        return (total / seen).item()

    def fit(self, loaders, epochs):
        for epoch in range(epochs):
            logs = {phase.value: self.run(phase, loaders[phase]) for phase in Phase}
            self.scheduler.step(logs["valid"])
            print(epoch, logs)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(60, 4)
    full = TensorDataset(x, x.pow(2).sum(1, keepdim=True))
    train, valid = random_split(full, [48, 12], generator=torch.Generator().manual_seed(1))
    loaders = {
        Phase.TRAIN: DataLoader(train, batch_size=12, shuffle=True),
        Phase.VALID: DataLoader(valid, batch_size=12),
    }
    Loop(nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.1), nn.SiLU(), nn.Linear(16, 1)), device).fit(loaders, 2)


if __name__ == "__main__":
    main()
