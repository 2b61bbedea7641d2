from contextlib import contextmanager

import torch


@contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    try:
        yield model
    finally:
        model.train(was)


def accuracy(model, loader, attack, device):
    right = seen = 0
    with evaluating(model):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            x = attack.perturb(x, y)
            with torch.no_grad():
                right += (model(x).argmax(1) == y).sum().item()
            seen += len(y)
    return right / seen
