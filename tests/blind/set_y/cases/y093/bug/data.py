import torch
from torch.utils.data import DataLoader, Dataset


class ClickLog(Dataset):
    def __init__(self, n=48, seq=6, items=40):
        self.history = torch.randint(1, items, (n, seq))
        self.target = (self.history.sum(1) % (items - 1)) + 1
        self.dwell = torch.rand(n, seq)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return {"history": self.history[i], "dwell": self.dwell[i], "target": self.target[i]}


def build_loader(batch_size):
    return DataLoader(ClickLog(), batch_size=batch_size, shuffle=True)
