import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Backbone(nn.Module):
    def __init__(self, out_dim=24):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(4)
        )
        self.fc = nn.Linear(8 * 16, out_dim)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


class FeatureBank:
    """Runs the frozen backbone once and keeps the features for probing."""

    def __init__(self, backbone, device):
        self.backbone = backbone.to(device).eval()
        self.device = device
        self.feats, self.labels = [], []

    @torch.no_grad()
    def ingest(self, loader):
        for images, labels in loader:
            self.feats.append(self.backbone(images.to(self.device)))
            self.labels.append(labels.to(self.device))
        return torch.cat(self.feats), torch.cat(self.labels)


def linear_probe(feats, labels, n_classes, steps=30, lr=0.1):
    probe = nn.Linear(feats.size(1), n_classes).to(feats.device)
    opt = torch.optim.SGD(probe.parameters(), lr=lr, momentum=0.9)
    ce = nn.CrossEntropyLoss()
    for _ in range(steps):
        loss = ce(probe(feats), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = (probe(feats).argmax(1) == labels).float().mean()
    return probe, acc.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = TensorDataset(torch.rand(60, 1, 14, 14), torch.randint(0, 4, (60,)))
    bank = FeatureBank(Backbone(), device)
    feats, labels = bank.ingest(DataLoader(data, batch_size=10))
    _, acc = linear_probe(feats, labels, 4)
    print("probe accuracy", acc)


if __name__ == "__main__":
    main()
