import copy
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Regressor(nn.Module):
    def __init__(self, d_in: int, hidden: int = 24, p: float = 0.1):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_in, hidden), nn.SiLU(), nn.Dropout(p), nn.Linear(hidden, 1)
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Fitter:
    def __init__(self, model, device, lr=1e-2):
        self.device = device
        self.model = model.to(device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.loss = nn.SmoothL1Loss()
        self.best_score = math.inf
        self.best_model = None

    def _epoch(self, loader):
        self.model.train()
        for x, y in loader:
            x = x.to(self.device)
            y = y.to(self.device)
            self.opt.zero_grad()
            self.loss(self.model(x), y).backward()
            self.opt.step()

    @torch.no_grad()
    def _score(self, loader):
        self.model.eval()
        total = n = 0
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            total += self.loss(self.model(x), y).item() * len(x)
            n += len(x)
        return total / n

    def _remember(self, score):
        if score < self.best_score:
            self.best_score = score
            self.best_model = copy.deepcopy(self.model).cpu()

    def fit(self, train_loader, val_loader, epochs):
        for epoch in range(epochs):
            self._epoch(train_loader)
            score = self._score(val_loader)
            self._remember(score)
            print(f"[{epoch:02d}] val {score:.4f} best {self.best_score:.4f}")
        return self.best_model


if __name__ == "__main__":
    torch.manual_seed(7)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(200, 5)
    data = TensorDataset(x, x @ torch.arange(5.0))
    train_set, val_set = random_split(data, [160, 40])
    fitter = Fitter(Regressor(5), device)
    best = fitter.fit(
        DataLoader(train_set, batch_size=32, shuffle=True),
        DataLoader(val_set, batch_size=40),
        epochs=3,
    )
    print(best(x[:3]).tolist())
