import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class PoolAttention(nn.Module):
    def __init__(self, dim, n_class):
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.score = nn.Linear(dim, 1)
        self.out = nn.Linear(dim, n_class)
        self.last_weights = None

    def forward(self, x):
        h = torch.tanh(self.proj(x))
        w = self.score(h).squeeze(-1).softmax(dim=1)
        self.last_weights = w.detach()
        return self.out((w.unsqueeze(-1) * h).sum(dim=1))


class EarlyStopping:
    def __init__(self, patience=3):
        self.patience = patience
        self.best = float("inf")
        self.bad_epochs = 0
        self.model = None

    def update(self, value, model):
        if value < self.best:
            self.best = value
            self.bad_epochs = 0
            self.model = copy.deepcopy(model)
        else:
            self.bad_epochs += 1
        return self.bad_epochs >= self.patience


def main():
    x = torch.randn(96, 7, 12)
    y = torch.randint(0, 3, (96,))
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    model = PoolAttention(12, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    stopper = EarlyStopping()
    for epoch in range(4):
        running = 0.0
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(epoch, running / len(loader), model.last_weights.max().item())
        if stopper.update(running / len(loader), model):
            break
    print("best", stopper.best)


if __name__ == "__main__":
    main()
