import random

import torch
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __init__(self, n=24, vocab=100, seed=0):
        rng = random.Random(seed)
        self.rows = [
            ([rng.randrange(1, vocab) for _ in range(rng.randrange(4, 14))], rng.randrange(2)) for _ in range(n)
        ]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows):
    tokens, labels = zip(*rows)
    width = max(map(len, tokens))
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    for i, t in enumerate(tokens):
        ids[i, : len(t)] = torch.tensor(t)
    return {"input_ids": ids, "attention_mask": ids.ne(0), "labels": torch.tensor(labels)}


def loaders(batch_size):
    train = DataLoader(Reviews(), batch_size, shuffle=True, collate_fn=collate)
    val = DataLoader(Reviews(12, seed=1), batch_size, collate_fn=collate)
    return train, val
