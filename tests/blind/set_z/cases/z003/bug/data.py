import random
from typing import Dict, List

import torch
from torch.utils.data import Dataset


class CaptionDataset(Dataset):
    """Random image features with captions of different length."""

    def __init__(self, n=12, vocab=30, seed=3):
        rng = random.Random(seed)
        self.items = [[rng.randrange(2, vocab) for _ in range(rng.randrange(3, 7))] for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, idx) -> Dict[str, torch.Tensor]:
        return {"feat": torch.randn(16), "caption": torch.tensor(self.items[idx])}


def collate(batch: List[Dict[str, torch.Tensor]]) -> Dict[str, torch.Tensor]:
    longest = max(len(b["caption"]) for b in batch)
    caps = torch.zeros(len(batch), longest, dtype=torch.long)
    for i, b in enumerate(batch):
        caps[i, : len(b["caption"])] = b["caption"]
    return {"feat": torch.stack([b["feat"] for b in batch]), "caption": caps, "mask": caps.ne(0)}
