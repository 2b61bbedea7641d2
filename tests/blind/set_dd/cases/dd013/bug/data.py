import torch
from torch.utils.data import Dataset


class PairDataset(Dataset):
    """Pre-tokenised sentence pairs (synthetic)."""

    def __init__(self, size, max_len=10, vocab=64):
        self.size, self.max_len, self.vocab = size, max_len, vocab

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        ids = torch.randint(1, self.vocab, (self.max_len,), generator=g)
        n = int(torch.randint(4, self.max_len + 1, (1,), generator=g))
        mask = (torch.arange(self.max_len) < n).long()
        return {
            "inputs": {"input_ids": ids * mask, "attention_mask": mask},
            "label": i % 2,
        }
