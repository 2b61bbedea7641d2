import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU())

    def forward(self, x):
        return self.body(x).mean((2, 3))


class FeatureBank:
    """Embeds a fixed set of images once and serves mini-batches of features."""

    def __init__(self, backbone, images, labels, batch=32):
        self.backbone = backbone.eval()
        self.images, self.labels = images, labels
        self.batch = batch
        self._feats = None

    @torch.inference_mode()
    def _embed(self):
        chunks = [self.backbone(c) for c in self.images.split(self.batch)]
        return F.normalize(torch.cat(chunks), dim=1)

    @property
    def features(self):
        if self._feats is None:
            self._feats = self._embed()
        return self._feats

    def __iter__(self):
        starts = torch.arange(0, len(self.images), self.batch)
        for lo in starts[torch.randperm(len(starts))].tolist():
            yield self.features[lo:lo + self.batch], self.labels[lo:lo + self.batch]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
images = torch.randn(128, 1, 16, 16, device=device)
labels = torch.randint(0, 4, (128,), device=device)
bank = FeatureBank(Backbone().to(device), images, labels)

probe = nn.Linear(16, 4).to(device)
optimizer = torch.optim.SGD(probe.parameters(), lr=0.5)
for epoch in range(3):
    running = 0.0
    for feats, target in bank:
        optimizer.zero_grad()
        loss = F.cross_entropy(probe(feats), target)
        loss.backward()
        optimizer.step()
        running += loss.item()
    print(f"epoch {epoch} loss {running / 4:.4f}")
