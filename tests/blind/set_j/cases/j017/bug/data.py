import torch
from torch.utils.data import DataLoader, Dataset


class PairDataset(Dataset):
    def __init__(self, n=48, vocab=40):
        g = torch.Generator().manual_seed(0)
        self.lengths = torch.randint(3, 9, (n,), generator=g).tolist()
        self.rows = [torch.randint(1, vocab, (k,), generator=g) for k in self.lengths]
        self.labels = torch.randint(0, 2, (n,), generator=g)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.labels[i]


def collate(items):
    rows, labels = zip(*items)
    width = max(map(len, rows))
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    for i, r in enumerate(rows):
        ids[i, : len(r)] = r
    return {"input_ids": ids, "attention_mask": ids.ne(0), "labels": torch.stack(labels)}


def loader(bs=8, shuffle=True):
    return DataLoader(PairDataset(), batch_size=bs, shuffle=shuffle, collate_fn=collate)
