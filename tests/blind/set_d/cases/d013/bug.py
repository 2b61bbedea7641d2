import torch
from torch.nn.utils.rnn import pad_sequence


def on_gpu(t):
    return t.device == torch.device("cuda")


def pad_batch(seqs, value=0.0):
    fast = all(on_gpu(s) for s in seqs)
    batch = pad_sequence(seqs, batch_first=True, padding_value=value)
    if fast:
        batch = batch.half()
    return batch, fast
