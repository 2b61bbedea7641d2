import torch


def batches(n, bsz=8, L=9):
    for _ in range(n):
        lens = torch.randint(4, L + 1, (bsz,))
        ids = torch.randint(1, 25, (bsz, L))
        mask = torch.arange(L) < lens[:, None]
        ids[~mask] = 0
        yield ids, (ids % 3) * mask, mask
