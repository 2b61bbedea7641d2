import copy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

import engine


def make_loaders(n=120, dim=20, classes=4, bs=16):
    x = torch.randn(n, dim)
    y = (x[:, :classes] * 3).argmax(1)
    train, val = random_split(TensorDataset(x, y), [96, n - 96])
    return DataLoader(train, bs, shuffle=True), DataLoader(val, bs)


def fit(epochs=3, patience=2):
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    train_loader, val_loader = make_loaders()
    model = nn.Sequential(nn.Linear(20, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 4)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    best, best_state, bad_epochs = 0.0, copy.deepcopy(model.state_dict()), 0
    for epoch in range(epochs):
        train_loss = engine.train_one_epoch(model, train_loader, optimizer, device)
        acc = engine.evaluate(model, val_loader, device)
        print(f"{epoch} loss {train_loss:.3f} acc {acc:.3f}")
        if acc > best:
            best, best_state, bad_epochs = acc, copy.deepcopy(model.state_dict()), 0
        else:
            bad_epochs += 1
            if bad_epochs >= patience:
                break
    model.load_state_dict(best_state)
    return model


if __name__ == "__main__":
    fit()
