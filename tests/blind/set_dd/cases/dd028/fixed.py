"""Arrhythmia detection from single-lead ECG (challenge baseline)."""
import copy
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class ECGNet(nn.Module):
    def __init__(self, n_classes=3, width=8):
        super().__init__()

        def stage(i, o):
            return [nn.Conv1d(i, o, 7, stride=2, padding=3), nn.BatchNorm1d(o), nn.ReLU(), nn.Dropout(0.3)]

        self.net = nn.Sequential(*stage(1, width), *stage(width, 2 * width), nn.AdaptiveMaxPool1d(1), nn.Flatten(),
                                 nn.Linear(2 * width, n_classes))

    def forward(self, x):
        return self.net(x)


def make_loaders(n=72):
    y = torch.randint(0, 3, (n,))
    t = torch.linspace(0, 6.28, 100)
    x = torch.sin(t[None] * (y[:, None] + 1)) + 0.3 * torch.randn(n, 100)
    train, valid = random_split(TensorDataset(x.unsqueeze(1), y), [48, n - 48])
    return DataLoader(train, batch_size=12, shuffle=True), DataLoader(valid, batch_size=24)


def train_one_epoch(model, loader, optimizer, criterion, device):
    model.train()
    losses = []
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.mean(losses)


@torch.no_grad()
def macro_f1(model, loader, device):
    model.eval()
    y_true, y_pred = [], []
    for x, y in loader:
        y_true.append(y.numpy())
        y_pred.append(model(x.to(device)).argmax(1).cpu().numpy())
    y_true, y_pred = np.concatenate(y_true), np.concatenate(y_pred)
    scores = []
    for c in range(3):
        tp = np.sum((y_pred == c) & (y_true == c))
        scores.append(2 * tp / max(1, np.sum(y_pred == c) + np.sum(y_true == c)))
    return float(np.mean(scores))


def fit(model, loaders, epochs=8, lr=1e-2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader, valid_loader = loaders
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    criterion = nn.CrossEntropyLoss()
    best, best_state = -1.0, None
    for epoch in range(epochs):
        loss = train_one_epoch(model, train_loader, optimizer, criterion, device)
        score = macro_f1(model, valid_loader, device)
        if score > best:
            best, best_state = score, copy.deepcopy(model.state_dict())
        print(f"{epoch}: {loss:.4f} {score:.3f}")
    model.load_state_dict(best_state)
    return best


if __name__ == "__main__":
    fit(ECGNet(), make_loaders())
