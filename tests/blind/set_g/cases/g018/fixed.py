import torch
import torch.nn as nn

calls = []


class Embedder(nn.Module):
    def __init__(self, dim=12, emb=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 24), nn.ReLU(), nn.Linear(24, emb))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=1)


def chunk_size(tensor, small=16, large=64):
    """Accelerators get larger chunks."""
    if tensor.device.type == "cuda":
        return large
    return small


@torch.no_grad()
def knn(queries, bank, labels, k=5):
    predictions = []
    for part in queries.split(chunk_size(queries)):
        calls.append(len(part))
        distances = torch.cdist(part, bank)
        nearest = distances.topk(k, largest=False).indices
        predictions.append(labels[nearest].mode(dim=1).values)
    return torch.cat(predictions)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Embedder().to(device).eval()
    x = torch.randn(100, 12, device=device)
    y = (x[:, 0] > 0).long()
    with torch.no_grad():
        emb = model(x)
    pred = knn(emb[64:], emb[:64], y[:64])
    accuracy = (pred == y[64:]).float().mean().item()
    print(f"kNN accuracy {accuracy:.2f} in {len(calls)} chunks")


if __name__ == "__main__":
    main()
