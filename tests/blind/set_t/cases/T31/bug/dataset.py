import torch
from torch.utils.data import Dataset


class Sessions(Dataset):
    """Click sessions, padded to the same length."""

    def __init__(self, n=60, items=30, length=8, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.items = torch.randint(1, items, (n, length + 1), generator=g)
        self.dwell = torch.rand(n, length, generator=g)
        self.lengths = torch.randint(3, length + 1, (n,), generator=g)

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        n = self.lengths[i]
        items = self.items[i].clone()
        items[n + 1 :] = 0
        return {"items": items[:-1], "dwell": self.dwell[i], "next": items[n], "last": n - 1}
