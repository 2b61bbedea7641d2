from collections import namedtuple

import torch
from torch.utils.data import Dataset

Target = namedtuple("Target", "boxes labels")


class Scenes(Dataset):
    def __init__(self, n=6):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        k = i % 3 + 1
        return {"image": torch.rand(1, 6, 6), "target": Target(torch.rand(k, 4), torch.randint(0, 2, (k,))), "name": f"s{i}"}


def collate(items):
    return {
        "image": torch.stack([it["image"] for it in items]),
        "targets": [it["target"] for it in items],
        "names": [it["name"] for it in items],
    }
