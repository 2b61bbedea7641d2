import torch
from torch.utils.data import Dataset


class Transactions(Dataset):
    """Unbalanced: one fraudulent row in ten."""

    def __init__(self, n=400, dim=16, seed=3):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = (torch.rand(n, generator=g) < 0.1).long()
        self.x[self.y == 1] += 0.7

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]

    def balance(self, smoothing=1.0):
        counts = torch.bincount(self.y, minlength=2).float() + smoothing
        return counts.sum() / (2 * counts)
