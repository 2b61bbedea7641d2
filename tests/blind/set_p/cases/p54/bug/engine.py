import torch
import torch.nn.functional as F


def fit_epoch(model, loader, optimizer, device):
    total = 0.0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    hits = count = 0
    for images, labels in loader:
        pred = model(images.to(device)).argmax(dim=1).cpu()
        hits += (pred == labels).sum().item()
        count += len(labels)
    return hits / count
