"""Retrieval metrics of an embedding network."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Siamese(nn.Module):
    def __init__(self, n_in, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def contrastive(a, b, same, margin=0.5):
    d = (a - b).pow(2).sum(1)
    return torch.where(same, d, F.relu(margin - d)).mean()


@torch.no_grad()
def embed_all(model, loader, device):
    model.eval()
    vectors, labels = [], []
    for x, y in loader:
        vectors.append(model(x.to(device)))
        labels.append(y.to(device))
    return torch.cat(vectors), torch.cat(labels)


def recall_at(vectors, labels, k):
    distance = torch.cdist(vectors, vectors)
    distance.fill_diagonal_(float("inf"))
    nearest = distance.topk(k, largest=False).indices
    found = (labels[nearest] == labels[:, None]).any(dim=1)
    return found.float().mean().item()


def retrieval_report(model, loader, device, ks=(1, 5)):
    vectors, labels = embed_all(model, loader, device)
    return {f"recall@{k}": recall_at(vectors, labels, k) for k in ks}
