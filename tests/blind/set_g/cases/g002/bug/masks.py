import torch


def padding_mask(ids, pad_id=0):
    return ids.eq(pad_id)[:, None, None, :]


def causal_mask(size):
    return torch.triu(torch.ones(size, size, dtype=torch.bool), diagonal=1)
