import torch


def causal_mask(n):
    full = torch.ones(n, n, dtype=torch.bool)
    return torch.triu(full, diagonal=1)


def padding_mask(ids, pad_id=0):
    return ids.eq(pad_id)[:, None, :]
