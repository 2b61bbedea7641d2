import functools

import torch


@functools.lru_cache(maxsize=8)
def causal_mask(size, device):
    return torch.ones(size, size, dtype=torch.bool, device=device).triu(1)


def alibi_slopes(heads):
    return torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)])
