import torch
import torch.nn as nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self, inputs=12, out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, out))

    @property
    def device(self):
        return next(self.parameters()).device

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


class SearchIndex:
    """Brute-force cosine search, in blocks sized for the hardware."""

    def __init__(self, model):
        self.model = model.eval()
        self.block = 1024 if model.device == "cuda" else 64
        self.vectors = None

    @torch.inference_mode()
    def build(self, rows):
        parts = [self.model(part.to(self.model.device)) for part in rows.split(self.block)]
        self.vectors = torch.cat(parts)
        return self

    @torch.inference_mode()
    def query(self, rows, k=5):
        best = []
        for part in rows.split(self.block):
            q = self.model(part.to(self.model.device))
            best.append((q @ self.vectors.t()).topk(k, dim=1).indices.cpu())
        return torch.cat(best)


def recall(found, truth):
    return (found == truth[:, None]).any(dim=1).float().mean().item()


rows = torch.randn(300, 12)
model = Embedder()
model.to("cuda" if torch.cuda.is_available() else "cpu")
index = SearchIndex(model).build(rows)
noisy = rows[:100] + 0.05 * torch.randn(100, 12)
print("block", index.block, "recall@5", recall(index.query(noisy), torch.arange(100)))
