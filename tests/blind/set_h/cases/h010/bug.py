import torch
import torch.nn as nn
import torch.nn.functional as F


class Index:
    """Brute force nearest neighbours over unit vectors."""

    def __init__(self, encoder, chunk=64):
        self.encoder = encoder
        self.chunk = chunk
        self.bank = None
        self.labels = []

    @property
    def device(self):
        return next(self.encoder.parameters()).device

    @property
    def storage_dtype(self):
        return torch.float16 if self.device != "cpu" else torch.float32

    @torch.inference_mode()
    def embed(self, x):
        self.encoder.eval()
        parts = [F.normalize(self.encoder(c.to(self.device)), dim=-1) for c in x.split(self.chunk)]
        return torch.cat(parts)

    def add(self, x, labels):
        vectors = self.embed(x).to(self.storage_dtype)
        self.bank = vectors if self.bank is None else torch.cat([self.bank, vectors])
        self.labels.extend(labels)
        return self

    def search(self, x, k=3):
        query = self.embed(x).to(self.bank.dtype)
        score, where = (query @ self.bank.T).float().topk(k, dim=1)
        return score.tolist(), [[self.labels[i] for i in row] for row in where.tolist()]


class Encoder(nn.Module):
    def __init__(self, size=30, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.BatchNorm1d(64), nn.Linear(64, dim))

    def forward(self, x):
        return self.net(x)


def main():
    torch.manual_seed(4)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = Encoder().to(device)
    gallery = torch.randn(150, 30)
    index = Index(encoder).add(gallery, [f"item{i}" for i in range(150)])
    scores, names = index.search(gallery[:5] + 0.01 * torch.randn(5, 30))
    for s, n in zip(scores, names):
        print(" ".join(f"{a}:{b:.3f}" for a, b in zip(n, s)))
    return index


if __name__ == "__main__":
    index = main()
