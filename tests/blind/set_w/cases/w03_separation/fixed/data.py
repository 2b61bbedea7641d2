import torch
from torch.utils.data import Dataset


class Mixtures(Dataset):
    def __init__(self, n=12, length=160):
        self.src = torch.randn(n, 2, length)
        self.lens = torch.randint(100, length + 1, (n,))

    def __len__(self):
        return len(self.src)

    def __getitem__(self, i):
        s = self.src[i].clone()
        s[:, self.lens[i]:] = 0
        return {"sources": s, "mix": s.sum(0), "frames": self.lens[i]}


def to_device(batch, device):
    return {k: v.to(device) for k, v in batch.items()}
