import torch
from torch.utils.data import DataLoader, Dataset


class PairDataset(Dataset):
    def __init__(self, n, dim=24):
        self.anchor = torch.randn(n, dim)
        self.positive = self.anchor + 0.1 * torch.randn(n, dim)

    def __len__(self):
        return len(self.anchor)

    def __getitem__(self, i):
        return {"anchor": self.anchor[i], "positive": self.positive[i]}


def loaders(batch_size):
    train = DataLoader(PairDataset(128), batch_size=batch_size, shuffle=True, drop_last=True)
    valid = DataLoader(PairDataset(48), batch_size=batch_size)
    return train, valid
