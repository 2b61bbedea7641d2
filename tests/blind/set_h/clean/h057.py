import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    """Everything stays on the host here; augmentation runs on the device, in the main process."""

    def __init__(self, n=64):
        g = torch.Generator().manual_seed(5)
        self.images = torch.rand(n, 3, 12, 12, generator=g)
        self.labels = (self.images[:, 0].mean((1, 2)) > self.images[:, 1].mean((1, 2))).long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class DeviceCollate:
    def __init__(self, device):
        self.device = device

    def __call__(self, items):
        images, labels = zip(*items)
        return torch.stack(images).to(self.device), torch.stack(labels).to(self.device)


class DeviceLoader:
    """Wraps a loader with workers: batches come from them as host tensors and are moved here."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for images, labels in self.loader:
            yield images.to(self.device), labels.to(self.device)


def augment(x):
    flip = torch.rand(len(x), 1, 1, 1, device=x.device) < 0.5
    return torch.where(flip, x.flip(3), x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Patches()
    train = DeviceLoader(DataLoader(data, batch_size=16, shuffle=True, num_workers=1), device)
    test = DataLoader(data, batch_size=32, num_workers=0, collate_fn=DeviceCollate(device))
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(800, 2)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for x, y in train:
        loss = F.cross_entropy(model(augment(x)), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.inference_mode():
        hits = sum((model(x).argmax(1) == y).sum() for x, y in test)
    print(loss.item(), hits.item() / len(data))


if __name__ == "__main__":
    main()
