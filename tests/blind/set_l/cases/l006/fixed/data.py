import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

PAD = 0
IGNORE = -100


class TaggedSentences(Dataset):
    def __init__(self, n=40, vocab=50, tags=5):
        self.rows = []
        for _ in range(n):
            k = int(torch.randint(4, 12, (1,)))
            self.rows.append((torch.randint(1, vocab, (k,)), torch.randint(0, tags, (k,))))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        tokens, tags = self.rows[i]
        return {"tokens": tokens, "tags": tags}


def collate(items):
    tokens = pad_sequence([it["tokens"] for it in items], batch_first=True, padding_value=PAD)
    tags = pad_sequence([it["tags"] for it in items], batch_first=True, padding_value=IGNORE)
    return {"tokens": tokens, "mask": tokens.ne(PAD), "tags": tags, "size": len(items)}


MOVE = ("tokens", "mask", "tags")


def to_device(batch, device):
    return {k: (v.to(device, non_blocking=True) if k in MOVE else v) for k, v in batch.items()}
