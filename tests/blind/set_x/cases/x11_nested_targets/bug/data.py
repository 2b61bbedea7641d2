import torch
from torch.utils.data import Dataset


class Boxes(Dataset):
    """Images with a dictionary of boxes and labels each."""

    def __init__(self, n=8):
        g = torch.Generator().manual_seed(0)
        self.items = []
        for _ in range(n):
            k = int(torch.randint(1, 4, (1,), generator=g))
            target = {"boxes": torch.rand(k, 4, generator=g), "labels": torch.randint(0, 3, (k,), generator=g)}
            self.items.append((torch.randn(3, 16, 16, generator=g), target))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    images, targets = zip(*batch)
    return torch.stack(images), list(targets)
