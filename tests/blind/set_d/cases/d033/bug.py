import torch
from torch import nn


def accuracy_loss(logits, target):
    wrong = (logits.argmax(1) != target).float().mean()
    wrong.requires_grad = True
    return wrong


def fit(model, x, y, steps=3, lr=0.5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    x, y = x.to(device), y.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = accuracy_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()
