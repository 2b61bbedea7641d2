import torch
from torch import nn


def validate(model, loader):
    device = next(model.parameters()).device
    model.eval()
    losses, hits, n = [], 0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        out = model(x)
        losses.append(nn.functional.cross_entropy(out, y).item())
        hits += out.argmax(1).eq(y).sum().item()
        n += y.numel()
    return sum(losses) / len(losses), hits / n
