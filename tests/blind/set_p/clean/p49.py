import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 12))

    def forward(self, x):
        return self.net(x)


class FeatureBank:
    """Features and offsets computed once by a fixed encoder."""

    def __init__(self, encoder, rows):
        encoder.eval()
        parts = rows.split(32)
        with torch.inference_mode():
            feats = torch.cat([encoder(part) for part in parts])
            center = feats.mean(dim=0)
        self.feats = feats.clone()
        self.center = center
        self.scale = float(feats.std())

    def batches(self, labels, size):
        for idx in torch.randperm(len(labels), device=labels.device).split(size):
            yield self.feats[idx], labels[idx]


class Head(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.offset = nn.Parameter(torch.zeros(dim))
        self.fc = nn.Linear(dim, classes)

    def forward(self, x, center, scale):
        shift = self.offset + center
        return self.fc((x - shift) / scale)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = torch.randn(96, 8, device=device)
    labels = (rows[:, 0] > rows[:, 1]).long()
    bank = FeatureBank(Encoder().to(device), rows)
    head = Head(12, 2).to(device)
    optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
    for epoch in range(4):
        for x, y in bank.batches(labels, 24):
            optimizer.zero_grad()
            loss = F.cross_entropy(head(x, bank.center, bank.scale), y)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    with torch.inference_mode():
        guess = head(bank.feats, bank.center, bank.scale).argmax(dim=1)
        print("train accuracy", (guess == labels).float().mean().item())


if __name__ == "__main__":
    main()
