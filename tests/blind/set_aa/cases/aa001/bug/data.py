import torch
from torch.utils.data import Dataset


class ToyShapes(Dataset):
    """Images with one to three boxes each, targets in the torchvision layout."""

    def __init__(self, n=12, size=32):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        g = torch.Generator().manual_seed(idx)
        k = int(torch.randint(1, 4, (1,), generator=g))
        xy = torch.rand(k, 2, generator=g) * 16
        wh = torch.rand(k, 2, generator=g) * 12 + 4
        target = {
            "boxes": torch.cat([xy, xy + wh], dim=1),
            "labels": torch.randint(0, 3, (k,), generator=g),
        }
        return torch.rand(3, self.size, self.size, generator=g), target


def collate(batch):
    images, targets = zip(*batch)
    return torch.stack(images), list(targets)
