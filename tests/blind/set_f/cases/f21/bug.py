"""Nearest-neighbour retrieval score of an embedding network."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def knn_predict(bank, bank_labels, queries, k=3):
    sims = queries @ bank.T
    order = np.argsort(-sims, axis=1)[:, :k]
    votes = bank_labels[order]
    return np.array([np.bincount(v).argmax() for v in votes])


class Embedder(nn.Module):
    def __init__(self, d_in=10, d_out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, 16), nn.ReLU(), nn.Linear(16, d_out))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=1)


@torch.no_grad()
def embed(model, loader, device):
    model.eval()
    vectors, labels = [], []
    for x, y in loader:
        out = model(x.to(device))
        vectors.append(out.numpy())
        labels.append(y.numpy())
    return np.concatenate(vectors), np.concatenate(labels)


def main():
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    model = Embedder().to(device)
    make = lambda n: DataLoader(TensorDataset(torch.randn(n, 10), torch.randint(0, 3, (n,))), batch_size=8)
    bank, bank_y = embed(model, make(32), device)
    query, query_y = embed(model, make(16), device)
    print("knn acc", (knn_predict(bank, bank_y, query) == query_y).mean())


if __name__ == "__main__":
    main()
