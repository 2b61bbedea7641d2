import torch


def causal(size, like):
    """Upper triangle of -inf, for the decoder."""
    m = torch.full((size, size), float("-inf")).triu(1)
    if like.device.type == "cuda":
        m = m.to(like.device)
    return m


def padding(ids, pad=0):
    return ids == pad
