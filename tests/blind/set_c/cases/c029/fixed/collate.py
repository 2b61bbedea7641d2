import torch
from torch.nn.utils.rnn import pad_sequence


def collate(samples):
    tokens = pad_sequence([s["tokens"] for s in samples], batch_first=True)
    tags = pad_sequence([s["tags"] for s in samples], batch_first=True, padding_value=-100)
    return {"tokens": tokens, "tags": tags, "mask": tokens != 0}
