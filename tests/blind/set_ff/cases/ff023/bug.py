import torch
import torch.nn as nn
import torch.nn.functional as F


class FrozenEncoder(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, 48), nn.ReLU(), nn.Linear(48, dim))

    def forward(self, x):
        return self.net(x)


class FeatureCache:
    """Runs the frozen encoder once per split and remembers the result."""

    def __init__(self, encoder):
        self.encoder = encoder.eval()
        self._store = {}

    @torch.inference_mode()
    def get(self, split, images):
        if split not in self._store:
            self._store[split] = F.normalize(self.encoder(images), dim=-1)
        return self._store[split]


class LinearProbe(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.weight = nn.Parameter(torch.randn(classes, dim) * 0.02)

    def forward(self, features):
        return self.scale * features @ F.normalize(self.weight, dim=-1).t()


def fit_probe(cache, splits, classes, epochs=5):
    images, labels = splits["train"]
    features = cache.get("train", images)
    probe = LinearProbe(features.size(1), classes)
    optimizer = torch.optim.LBFGS(probe.parameters(), lr=0.5, max_iter=4)

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(probe(features), labels)
        loss.backward()
        return loss

    for _ in range(epochs):
        loss = optimizer.step(closure)
    print("probe loss", float(loss))
    return probe


@torch.no_grad()
def score(cache, probe, splits):
    images, labels = splits["test"]
    pred = probe(cache.get("test", images)).argmax(1)
    return (pred == labels).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    data = {s: (torch.randn(n, 3, 8, 8), torch.randint(0, 3, (n,))) for s, n in (("train", 40), ("test", 12))}
    cache = FeatureCache(FrozenEncoder())
    probe = fit_probe(cache, data, 3)
    print(score(cache, probe, data))
