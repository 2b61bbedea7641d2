import random

import torch
from torch.utils.data import DataLoader, Dataset


class PairDataset(Dataset):
    """Premise / hypothesis pairs as bags of ids."""

    def __init__(self, n=16, vocab=40, length=6):
        self.n, self.vocab, self.length = n, vocab, length

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = random.Random(i)
        make = lambda: torch.tensor([rng.randrange(1, self.vocab) for _ in range(self.length)])
        return make(), make(), rng.randrange(3)


def collate_pairs(rows):
    a, b, y = zip(*rows)
    return {
        "premise": {"ids": torch.stack(a), "mask": torch.stack(a).ne(0)},
        "hypothesis": {"ids": torch.stack(b), "mask": torch.stack(b).ne(0)},
        "label": torch.tensor(y),
    }


def build_loader(batch_size, **kwargs):
    return DataLoader(PairDataset(**kwargs), batch_size=batch_size, shuffle=True, collate_fn=collate_pairs)


def to_device(batch, device):
    return {k: to_device(v, device) if isinstance(v, dict) else v.to(device) for k, v in batch.items()}
