import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Volumes(Dataset):
    def __init__(self, count, size, crop):
        self.volumes = [torch.randn(1, size, size, size) for _ in range(count)]
        self.labels = [int(v.mean() > 0) for v in self.volumes]
        self.crop = crop

    def __len__(self):
        return len(self.volumes)

    def random_crop(self, v):
        limit = v.shape[-1] - self.crop + 1
        z, y, x = torch.randint(limit, (3,)).tolist()
        return v[:, z:z + self.crop, y:y + self.crop, x:x + self.crop]

    def __getitem__(self, idx):
        patch = self.random_crop(self.volumes[idx])
        if torch.rand(()) < 0.5:
            patch = patch.flip(-1)
        return patch, torch.tensor(self.labels[idx])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()

    loader = DataLoader(Volumes(12, 10, 8), batch_size=4, shuffle=True, num_workers=args.workers)
    model = nn.Sequential(
        nn.Conv3d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(4, 2)
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        for patch, label in loader:
            patch, label = patch.to(device), label.to(device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(patch), label)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
