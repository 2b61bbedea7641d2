import torch
from torch.utils.data import Dataset


class Sentences(Dataset):
    def __init__(self, n, vocab, tags):
        gen = torch.Generator().manual_seed(0)
        self.rows = []
        for _ in range(n):
            k = int(torch.randint(2, 9, (1,), generator=gen))
            ids = torch.randint(1, vocab, (k,), generator=gen)
            self.rows.append({"ids": ids, "tags": ids % tags})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows):
    lengths = torch.tensor([len(r["ids"]) for r in rows])
    pad = torch.nn.utils.rnn.pad_sequence
    return {
        "ids": pad([r["ids"] for r in rows], batch_first=True),
        "tags": pad([r["tags"] for r in rows], batch_first=True, padding_value=-100),
        "lengths": lengths,
    }


def to_device(batch, device):
    return {k: v.to(device, non_blocking=True) for k, v in batch.items()}
