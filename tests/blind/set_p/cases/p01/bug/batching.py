import torch
from torch.nn.utils.rnn import pad_sequence


class Reviews(torch.utils.data.Dataset):
    def __init__(self, n=48, vocab=120, seed=3):
        g = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(n):
            size = int(torch.randint(4, 15, (1,), generator=g))
            ids = torch.randint(1, vocab, (size,), generator=g)
            self.items.append((ids, int(ids.float().mean() > vocab / 2)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(samples):
    ids, labels = zip(*samples)
    return {
        "ids": pad_sequence(ids, batch_first=True),
        "lengths": torch.tensor([len(s) for s in ids]),
        "labels": torch.tensor(labels),
    }


def to_device(batch, device):
    return {name: value.to(device) for name, value in batch.items()}
