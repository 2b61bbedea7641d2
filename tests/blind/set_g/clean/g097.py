import copy
from contextlib import nullcontext

import torch
import torch.nn as nn
import torch.nn.functional as F


def run_epoch(model, batches, device, optimizer=None):
    """One loop for training and evaluation: an optimizer makes it training."""
    training = optimizer is not None
    model.train(training)
    total, count = 0.0, 0
    with nullcontext() if training else torch.no_grad():
        for x, y in batches:
            x, y = x.to(device), y.to(device)
            loss = F.cross_entropy(model(x), y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item() * len(y)
            count += len(y)
    return total / count


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.waited, self.weights = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.waited = value, 0
            self.weights = copy.deepcopy(model.state_dict())
        else:
            self.waited += 1
        return self.waited >= self.patience


def make_batches(n):
    out = []
    for _ in range(n):
        x = torch.randn(8, 4)
        out.append((x, (x.sum(1) > 0).long()))
    return out


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
train, val = make_batches(5), make_batches(2)
stop = EarlyStopping(patience=2)
for epoch in range(4):
    train_loss = run_epoch(model, train, device, optimizer)
    val_loss = run_epoch(model, val, device)
    print(epoch, train_loss, val_loss)
    if stop(val_loss, model):
        break
model.load_state_dict(stop.weights)
