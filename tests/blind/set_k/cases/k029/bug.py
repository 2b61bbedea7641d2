import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def setup(seed=0):
    """Everything built afterwards lands on the best device."""
    name = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    torch.set_default_device(name)
    return name


class Moons(Dataset):
    def __init__(self, n):
        angle = torch.rand(n) * 3.1416
        flip = (torch.rand(n) > 0.5).float()
        x = torch.cos(angle) * (1 - 2 * flip) + flip
        y = torch.sin(angle) * (1 - 2 * flip) + 0.5 * flip
        self.points = torch.stack([x, y], dim=1) + 0.05 * torch.randn(n, 2)
        self.labels = flip.long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.points[i], self.labels[i]


def loaders(dataset, batch, **kwargs):
    return DataLoader(dataset, batch, shuffle=True, **kwargs), DataLoader(dataset, 2 * batch)


def main():
    name = setup()
    train, test = loaders(Moons(96), 16, drop_last=True)
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        model.train()
        for x, y in train:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            good = sum((model(x).argmax(1) == y).sum().item() for x, y in test)
        print(name, epoch, good / 96)


if __name__ == "__main__":
    main()
