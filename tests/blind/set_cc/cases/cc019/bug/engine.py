import torch
import torch.nn.functional as F


def train_one_epoch(model, loader, optimizer, device):
    running = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / len(loader)


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    good = total = 0
    for x, y in loader:
        good += (model(x.to(device)).argmax(1) == y.to(device)).sum().item()
        total += len(y)
    return good / total
