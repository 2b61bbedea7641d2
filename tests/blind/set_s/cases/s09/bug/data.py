import torch
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __init__(self, size=24, vocab=100):
        gen = torch.Generator().manual_seed(3)
        self.rows = [torch.randint(1, vocab, (int(torch.randint(4, 12, (1,), generator=gen)),), generator=gen)
                     for _ in range(size)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"ids": self.rows[i], "label": int(self.rows[i].sum()) % 2}


def pad_batch(items):
    ids = torch.nn.utils.rnn.pad_sequence([it["ids"] for it in items], batch_first=True)
    return {"ids": ids, "mask": ids.ne(0), "label": torch.tensor([it["label"] for it in items])}


def make_loader(batch_size):
    return DataLoader(Reviews(), batch_size=batch_size, shuffle=True, collate_fn=pad_batch)
