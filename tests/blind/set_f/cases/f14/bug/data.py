from dataclasses import dataclass

import torch
from torch.nn.utils.rnn import pad_sequence


@dataclass
class TagBatch:
    words: torch.Tensor
    tags: torch.Tensor
    mask: torch.Tensor

    def to(self, device):
        return TagBatch(self.words.to(device), self.tags.to(device), self.mask)

    def __len__(self):
        return self.words.size(0)


def collate(samples):
    words = pad_sequence([w for w, _ in samples], batch_first=True)
    tags = pad_sequence([t for _, t in samples], batch_first=True)
    return TagBatch(words, tags, words.ne(0))


class RandomTags(torch.utils.data.Dataset):
    def __init__(self, n, vocab, tags):
        self.items = []
        for _ in range(n):
            length = int(torch.randint(3, 9, ()))
            self.items.append((torch.randint(1, vocab, (length,)), torch.randint(0, tags, (length,))))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]
