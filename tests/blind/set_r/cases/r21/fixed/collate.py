import torch
from torch.nn.utils.rnn import pad_sequence


def collate(samples):
    """samples: list of (list of ids, label)"""
    ids = [torch.tensor(s[0], dtype=torch.long) for s in samples]
    return {
        "ids": pad_sequence(ids, batch_first=True),
        "lengths": torch.tensor([len(s) for s in ids]),
        "labels": torch.tensor([s[1] for s in samples]),
    }


def to_device(batch, device):
    return {name: value.to(device) for name, value in batch.items()}
