import torch


def alibi(heads, queries, keys, **factory):
    """Head-wise linear bias, (heads, queries, keys)."""
    slopes = torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)], **factory)
    gap = torch.arange(keys, **factory)[None] - torch.arange(queries, **factory)[:, None]
    return -slopes[:, None, None] * gap.abs()


def causal(n, like):
    mask = torch.ones(n, n, dtype=torch.bool).triu(1)
    return mask.to(like.device)
