"""Loader wrapper that moves nested batches; memory is pinned only where it helps."""
from collections.abc import Mapping, Sequence

import torch
from torch.utils.data import Dataset


class Frames(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        x = torch.randn(3, 6, generator=g)
        return {"clip": x, "meta": (torch.tensor(i), f"clip_{i}"), "label": torch.tensor(i % 3)}


def to_device(item, device, non_blocking=False):
    if torch.is_tensor(item):
        return item.to(device, non_blocking=non_blocking)
    if isinstance(item, Mapping):
        return {k: to_device(v, device, non_blocking) for k, v in item.items()}
    if isinstance(item, Sequence) and not isinstance(item, str):
        return type(item)(to_device(v, device, non_blocking) for v in item)
    return item


class DeviceLoader:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for batch in self.loader:
            yield to_device(batch, self.device, non_blocking=self.loader.pin_memory)
