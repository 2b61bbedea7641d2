import torch
import torch.nn.functional as F


def train_epoch(model, optimizer, batches):
    model.train()
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def accuracy(model, batches):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum() for x, y in batches)
    return hits.item() / sum(len(y) for _, y in batches)
