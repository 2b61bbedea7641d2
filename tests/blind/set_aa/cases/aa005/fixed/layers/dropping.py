import torch


def drop_edges(weights, p):
    """DropEdge on attention weights; rows keep their expected mass."""
    keep = (torch.rand_like(weights) > p).to(weights.dtype)
    keep = keep / (1 - p)
    return weights * keep
