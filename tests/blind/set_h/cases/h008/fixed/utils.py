import random

import torch


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)


def to_device(batch, device):
    """Move what a collate function returned."""
    if torch.is_tensor(batch):
        return batch.to(device)
    if isinstance(batch, dict):
        return {k: to_device(v, device) for k, v in batch.items()}
    if isinstance(batch, (list, tuple)):
        return type(batch)(to_device(v, device) for v in batch)
    return batch
