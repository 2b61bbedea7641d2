import torch
from torch.nn.utils.rnn import pad_sequence


class Collate:
    def __init__(self, pad=0):
        self.pad = pad

    def __call__(self, items):
        seqs, tags = zip(*items)
        return {
            "ids": pad_sequence(seqs, batch_first=True, padding_value=self.pad),
            "tags": pad_sequence(tags, batch_first=True, padding_value=-100),
            "lengths": torch.tensor([len(s) for s in seqs]),
        }


def move(batch, device):
    return {k: v.to(device, non_blocking=True) for k, v in batch.items()}
