import torch
from torch.nn.utils.rnn import pad_sequence

MOVED = ("input_ids", "labels")


def collate(items):
    ids = pad_sequence([i["ids"] for i in items], batch_first=True)
    return {
        "input_ids": ids,
        "pad_mask": ids.eq(0),
        "labels": torch.tensor([i["label"] for i in items]),
    }


def send(batch, device):
    return {k: v.to(device) for k, v in batch.items()}
