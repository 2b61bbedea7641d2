import torch


def repackage(h):
    """Cuts hidden states from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage(v) for v in h)


def batchify(data, n, device):
    n_batch = data.numel() // n
    return data[: n_batch * n].view(n, -1).t().contiguous().to(device)
