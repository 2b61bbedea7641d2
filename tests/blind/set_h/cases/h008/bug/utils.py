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
        return {k: v.to(device) if torch.is_tensor(v) else v for k, v in batch.items()}
    return batch
